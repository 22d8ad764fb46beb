// Package floors holds the table of who may import whom. Its test compares the
// table with the packages as they are.
package floors

// Room is a package, or a folder of packages, with what it may import of this
// module and of others. Test files are free to import more.
type Room struct {
	Path  string   // below the module; sub-packages belong to their room
	Floor int      // a room imports from lower floors only
	Other []string // modules besides the standard library
}

// Rooms is the table.
var Rooms = []Room{
	{Path: "collision", Floor: 1, Other: []string{"golang.org/x/sys", "gonum.org/v1/gonum"}},
	{Path: "regtree", Floor: 1, Other: []string{"gonum.org/v1/gonum"}},
	{Path: "regtree/golearnbridge", Floor: 2, Other: []string{"github.com/sjwhitworth/golearn"}},
	{Path: "variant", Floor: 0},
	{Path: "device", Floor: 1},
	{Path: "datasets", Floor: 1, Other: []string{"golang.org/x/image"}},
	{Path: "datasets/synth", Floor: 1},
	{Path: "datasets/patterns", Floor: 1},
	{Path: "datasets/recordings", Floor: 2},
	{Path: "datasets/h200", Floor: 3},
	{Path: "plot", Floor: 1, Other: []string{"gonum.org/v1/plot", "golang.org/x/image"}},
	{Path: "speedup", Floor: 2, Other: []string{"gonum.org/v1/gonum"}},
	{Path: "latency", Floor: 2, Other: []string{"gonum.org/v1/gonum"}},
	{Path: "hwsim", Floor: 2},
	{Path: "casloop", Floor: 2},
	{Path: "coordinator", Floor: 2},
	{Path: "probe", Floor: 3},
	{Path: "fit", Floor: 3, Other: []string{"gonum.org/v1/gonum", "golang.org/x/sync"}},
	{Path: "reproduce", Floor: 4},
	{Path: "tables", Floor: 4, Other: []string{"golang.org/x/sync"}},
	{Path: "validate", Floor: 5, Other: []string{"gonum.org/v1/gonum"}},
	{Path: "tuner", Floor: 3, Other: []string{"gonum.org/v1/gonum"}},
	{Path: "cmd/atomtune", Floor: 6, Other: []string{
		"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/jedib0t/go-pretty/v6", "golang.org/x/term",
	}},
	{Path: "cmd/atomprobe", Floor: 6, Other: []string{
		"github.com/ebitengine/purego", "github.com/spf13/cobra", "golang.org/x/term",
	}},
	{Path: "cuda/ptx", Floor: 0},
	{Path: "relayout", Floor: 0},
	{Path: "internal/command", Floor: 1, Other: []string{"github.com/spf13/cobra"}},
	{Path: "internal/floors", Floor: 0},
	{Path: "internal/wholefile", Floor: 0},
}

// Apart lists pairs of rooms that never import each other, whatever their
// floors: an oracle that shares formulas is none, and a choice needs no
// simulator.
var Apart = [][2]string{
	{"hwsim", "latency"}, {"hwsim", "speedup"}, {"hwsim", "collision"}, {"tuner", "hwsim"},
	{"coordinator", "speedup"}, {"coordinator", "latency"}, {"coordinator", "hwsim"},
}
