// Package layers holds the table of who may import whom. Its tests compare the
// table with the packages as they are.
package layers

import (
	"slices"
	"strings"
)

// Package is one package of the module.
type Package struct {
	Path    string   // below the module
	Layer   int      // it imports from lower layers only
	Modules []string // what it may import besides the standard library
}

// Packages is the table, layer by layer.
var Packages = []Package{
	{Path: "collision/course", Layer: 0},
	{Path: "collision/internal/kernel", Layer: 0, Modules: []string{"golang.org/x/sys"}},
	{Path: "cuda", Layer: 0},
	{Path: "cuda/ptx", Layer: 0},
	{Path: "cuda/trials", Layer: 0},
	{Path: "datasets/columnar/codec", Layer: 0, Modules: []string{
		"github.com/klauspost/compress", "github.com/pierrec/lz4/v4"}},
	{Path: "datasets/jpegscans", Layer: 0},
	{Path: "datasets/pickle", Layer: 0},
	{Path: "fit/regression", Layer: 0, Modules: []string{"gonum.org/v1/gonum"}},
	{Path: "gpu/driver", Layer: 0},
	{Path: "gpu/libcuda/standin", Layer: 0},
	{Path: "internal/allocation", Layer: 0},
	{Path: "internal/command/commandtest", Layer: 0, Modules: []string{"github.com/spf13/cobra",
		"github.com/spf13/pflag"}},
	{Path: "internal/contract", Layer: 0, Modules: []string{"golang.org/x/sync"}},
	{Path: "internal/figures", Layer: 0},
	{Path: "internal/golden", Layer: 0},
	{Path: "internal/layers", Layer: 0},
	{Path: "internal/must", Layer: 0},
	{Path: "internal/portable", Layer: 0},
	{Path: "internal/quantile", Layer: 0},
	{Path: "internal/simtimes", Layer: 0},
	{Path: "internal/splitmix", Layer: 0},
	{Path: "internal/strictjson", Layer: 0},
	{Path: "internal/visible", Layer: 0},
	{Path: "internal/wholefile", Layer: 0},
	{Path: "lab/killed", Layer: 0},
	{Path: "lab/validate", Layer: 0},
	{Path: "relayout", Layer: 0},
	{Path: "tuner/sweeps", Layer: 0},
	{Path: "variant", Layer: 0},
	{Path: "cmd/atomtune/internal/chart", Layer: 1},
	{Path: "collision", Layer: 1},
	{Path: "collision/reuse", Layer: 1},
	{Path: "datasets/columnar/columnartest", Layer: 1},
	{Path: "datasets/patterns", Layer: 1},
	{Path: "datasets/synth", Layer: 1},
	{Path: "datasets/tensor", Layer: 1},
	{Path: "device", Layer: 1},
	{Path: "gpu/libcuda", Layer: 1, Modules: []string{"github.com/ebitengine/purego"}},
	{Path: "internal/command", Layer: 1, Modules: []string{"github.com/spf13/cobra",
		"github.com/spf13/pflag", "golang.org/x/term"}},
	{Path: "internal/faults", Layer: 1},
	{Path: "internal/gzipped", Layer: 1},
	{Path: "internal/release", Layer: 1},
	{Path: "lab/plot", Layer: 1, Modules: []string{"golang.org/x/image", "gonum.org/v1/plot"}},
	{Path: "regtree", Layer: 1},
	{Path: "collision/survey", Layer: 2},
	{Path: "cuda/emit", Layer: 2},
	{Path: "datasets", Layer: 2, Modules: []string{"golang.org/x/image"}},
	{Path: "datasets/columnar/arrow", Layer: 2},
	{Path: "datasets/columnar/parquet", Layer: 2},
	{Path: "datasets/recordings", Layer: 2},
	{Path: "gpu/kernels", Layer: 2},
	{Path: "hwsim/casloop", Layer: 2},
	{Path: "hwsim/coordinator", Layer: 2},
	{Path: "hwsim/internal/arith", Layer: 2},
	{Path: "internal/command/report", Layer: 2, Modules: []string{"github.com/jedib0t/go-pretty/v6",
		"golang.org/x/term"}},
	{Path: "internal/journal", Layer: 2},
	{Path: "lab/bench", Layer: 2},
	{Path: "lab/estimate", Layer: 2},
	{Path: "lab/golearnbridge", Layer: 2, Modules: []string{"github.com/sjwhitworth/golearn"}},
	{Path: "latency", Layer: 2},
	{Path: "rows", Layer: 2},
	{Path: "speedup/elteir", Layer: 2},
	{Path: "tuner/dispatch", Layer: 2},
	{Path: "datasets/columnar", Layer: 3},
	{Path: "datasets/recordings/archive", Layer: 3},
	{Path: "fit", Layer: 3, Modules: []string{"golang.org/x/sync", "gonum.org/v1/gonum"}},
	{Path: "hwsim/coordinator/experiment", Layer: 3},
	{Path: "hwsim/internal/machine", Layer: 3},
	{Path: "internal/command/parts", Layer: 3},
	{Path: "internal/prediction", Layer: 3},
	{Path: "lab/expectation", Layer: 3},
	{Path: "lab/papers", Layer: 3, Modules: []string{"golang.org/x/sync"}},
	{Path: "lab/synthetic", Layer: 3},
	{Path: "probe/job", Layer: 3},
	{Path: "rows/price", Layer: 3},
	{Path: "speedup", Layer: 3},
	{Path: "speedup/elteir/equations", Layer: 3},
	{Path: "tuner/dispatch/source", Layer: 3},
	{Path: "tuner/plan", Layer: 3},
	{Path: "datasets/h100", Layer: 4},
	{Path: "datasets/h200", Layer: 4},
	{Path: "datasets/recordings/archive/archivetest", Layer: 4},
	{Path: "hwsim/internal/kernel", Layer: 4},
	{Path: "internal/command/input", Layer: 4, Modules: []string{"github.com/spf13/cobra"}},
	{Path: "lab/papers/paperstest", Layer: 4},
	{Path: "lab/papers/streamhpc", Layer: 4},
	{Path: "probe/calls", Layer: 4},
	{Path: "probe/micro", Layer: 4},
	{Path: "tuner/model", Layer: 4},
	{Path: "cmd/atomtune/internal/analysis", Layer: 5},
	{Path: "hwsim", Layer: 5},
	{Path: "lab/validate/recorded", Layer: 5},
	{Path: "probe", Layer: 5},
	{Path: "tuner", Layer: 5},
	{Path: "tuner/calibration", Layer: 5, Modules: []string{"golang.org/x/sync"}},
	{Path: "tuner/training", Layer: 5, Modules: []string{"golang.org/x/sync"}},
	{Path: "clib/internal/request", Layer: 6},
	{Path: "cmd/atomtune/internal/choice", Layer: 6, Modules: []string{"github.com/spf13/cobra"}},
	{Path: "cmd/atomtune/internal/ordering", Layer: 6},
	{Path: "cmd/atomtune/internal/simulation", Layer: 6},
	{Path: "explorer", Layer: 6},
	{Path: "gpu", Layer: 6},
	{Path: "hwsim/apps", Layer: 6},
	{Path: "lab/bench/rows", Layer: 6, Modules: []string{"golang.org/x/sync"}},
	{Path: "lab/validate/estimates", Layer: 6},
	{Path: "lab/validate/guarantee", Layer: 6},
	{Path: "lab/validate/kernels", Layer: 6, Modules: []string{"golang.org/x/sync"}},
	{Path: "lab/validate/learners", Layer: 6, Modules: []string{"gonum.org/v1/gonum"}},
	{Path: "lab/validate/locks", Layer: 6},
	{Path: "lab/validate/settled", Layer: 6},
	{Path: "probe/timing", Layer: 6},
	{Path: "tables", Layer: 6, Modules: []string{"golang.org/x/sync"}},
	{Path: "tuner/boundary", Layer: 6},
	{Path: "tuner/dispatch/grow", Layer: 6},
	{Path: "tuner/internal/tunertest", Layer: 6},
	{Path: "tuner/online", Layer: 6},
	{Path: "clib", Layer: 7},
	{Path: "cmd/atomprobe", Layer: 7, Modules: []string{"github.com/spf13/cobra",
		"github.com/spf13/pflag", "golang.org/x/sync"}},
	{Path: "cmd/atomtune/internal/page", Layer: 7, Modules: []string{"github.com/spf13/cobra",
		"github.com/spf13/pflag"}},
	{Path: "cmd/atomtune/internal/rowchoice", Layer: 7, Modules: []string{"github.com/spf13/cobra",
		"github.com/spf13/pflag"}},
	{Path: "lab/bench/speed", Layer: 7, Modules: []string{"github.com/sarchlab/akita/v4",
		"golang.org/x/sync", "golang.org/x/sys"}},
	{Path: "lab/papers/egielski14", Layer: 7},
	{Path: "lab/papers/elteir11", Layer: 7},
	{Path: "lab/papers/gomezluna13", Layer: 7},
	{Path: "lab/papers/westphal15", Layer: 7},
	{Path: "lab/validate/online", Layer: 7},
	{Path: "lab/validate/trees", Layer: 7},
	{Path: "cmd/atomtune", Layer: 8, Modules: []string{"github.com/spf13/cobra",
		"github.com/spf13/pflag"}},
	{Path: "lab/papers/all", Layer: 8},
	{Path: "lab/validate/leaveoneout", Layer: 8},
	{Path: "lab/validate/scratchpad", Layer: 8, Modules: []string{"golang.org/x/sync"}},
	{Path: "lab/validate/choices", Layer: 9},
	{Path: "cmd/atomlab", Layer: 10, Modules: []string{"github.com/spf13/cobra",
		"github.com/spf13/pflag"}},
}

// apart lists pairs of folders. Neither imports the other, not even through a third:
// an oracle that shares formulas is none, and a choice needs no simulator.
var apart = [][2]string{
	{"hwsim", "latency"}, {"hwsim", "speedup"}, {"hwsim", "collision"}, {"hwsim", "tuner"},
	{"hwsim/coordinator", "hwsim/internal"},
	// Nothing that was recorded, and so nothing that was held out, enters these.
	{"datasets/recordings", "tuner/dispatch"}, {"datasets/recordings", "tuner/training"},
	{"datasets/recordings", "speedup"}, {"datasets/recordings", "hwsim"}, {"datasets/recordings", "rows"},
}

// laboratoryAlone lists what the product's programs do not link.
var laboratoryAlone = []string{
	"github.com/atomtune/atomtune/lab",
	"github.com/atomtune/atomtune/datasets/h100",
	"github.com/atomtune/atomtune/datasets/h200",
	"github.com/atomtune/atomtune/datasets/recordings/archive",
	"github.com/atomtune/atomtune/tuner/sweeps",
	"github.com/sarchlab/akita",
	"github.com/sjwhitworth/golearn",
	"gonum.org/v1/plot",
}

// commandsAlone lists what only commands that read tables link: their decompressors are no matter
// of those who call the packages from Go.
var commandsAlone = []string{
	"github.com/atomtune/atomtune/datasets/columnar",
	"github.com/klauspost/compress",
	"github.com/pierrec/lz4",
}

// readsTables reports whether a package may link what commandsAlone lists.
func readsTables(path string) bool {
	return below(path, "cmd") || below(path, "internal/command") ||
		below(path, "datasets/columnar")
}

// The largest sizes that the product and its packages may have, besides tests.
const (
	mostLines        = 3500
	mostFiles        = 35
	mostProductLines = 68020
)

func find(path string) (Package, bool) {
	i := slices.IndexFunc(Packages, func(p Package) bool { return p.Path == path })
	if i < 0 {
		return Package{}, false
	}
	return Packages[i], true
}

// laboratory reports whether a package belongs to the laboratory.
func laboratory(path string) bool { return path == "cmd/atomlab" || below(path, "lab") }

// below reports whether a package is another or stands in its folder.
func below(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// refuses says why the package must not import another of its own module (own) or
// of others, and is "" where it may.
func (p Package) refuses(path string, own bool) string {
	if !own {
		first, _, _ := strings.Cut(path, "/")
		if strings.Contains(first, ".") && !slices.ContainsFunc(p.Modules,
			func(m string) bool { return below(path, m) }) {
			return "not among its modules"
		}
		return ""
	}
	to, ok := find(path)
	switch {
	case !ok:
		return "unknown"
	case to.Layer >= p.Layer:
		return "not on a lower layer"
	case laboratory(path) && !laboratory(p.Path):
		return "of the laboratory"
	}
	return p.apart(path)
}

// apart says which rule keeps the package from depending on another, "" for none.
func (p Package) apart(path string) string {
	for _, pair := range apart {
		if below(p.Path, pair[0]) && below(path, pair[1]) ||
			below(p.Path, pair[1]) && below(path, pair[0]) {
			return pair[0] + " and " + pair[1] + " stay apart"
		}
	}
	return ""
}
