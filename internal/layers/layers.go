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
var Packages = []Package{}

// apart lists pairs of folders. Neither imports the other, not even through a third:
// an oracle that shares formulas is none, and a choice needs no simulator.
var apart = [][2]string{
	{"hwsim", "latency"}, {"hwsim", "speedup"}, {"hwsim", "collision"}, {"hwsim", "tuner"},
	{"hwsim/coordinator", "hwsim/internal"},
}

// laboratoryAlone lists what the product's programs do not link.
var laboratoryAlone = []string{
	"github.com/atomtune/atomtune/lab",
	"github.com/atomtune/atomtune/datasets/h200",
	"github.com/sjwhitworth/golearn",
	"gonum.org/v1/plot",
}

// The largest sizes that the product and its packages may have, besides tests.
const (
	mostLines        = 3500
	mostFiles        = 35
	mostProductLines = 40000
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
func below(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// refuses says why the package must not import another of its own module (own) or
// of others, and is "" where it may.
func (p Package) refuses(path string, own bool) string {
	if !own {
		first, _, _ := strings.Cut(path, "/")
		if strings.Contains(first, ".") && !slices.ContainsFunc(p.Modules, func(m string) bool { return below(path, m) }) {
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
		if below(p.Path, pair[0]) && below(path, pair[1]) || below(p.Path, pair[1]) && below(path, pair[0]) {
			return pair[0] + " and " + pair[1] + " stay apart"
		}
	}
	return ""
}
