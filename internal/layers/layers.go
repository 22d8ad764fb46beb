// Package layers holds the rules of who may depend on whom. Its test compares them with what go list
// says; a new package needs no entry.
package layers

import (
	"slices"
	"strings"
)

// Rule keeps packages from depending on others. Folders are those of the module, and stand for every
// package in them; other modules and the standard library go by their import paths.
type Rule struct {
	Of, But []string // the folders that the rule is about, "" for all, and those that it is not about
	Not     []string // what none of their packages depends on
	Mutual  bool     // nor does anything of Not depend on them
	Direct  bool     // what they link through others is allowed
	Reason  string
}

// Rules are all rules.
var Rules = []Rule{
	{Of: []string{"hwsim"}, Not: []string{"latency", "speedup", "collision", "tuner"}, Mutual: true,
		Reason: "an oracle that shares formulas is none, and a choice needs no simulator"},
	{Of: []string{"hwsim/coordinator"}, Not: []string{"hwsim/internal"}, Mutual: true,
		Reason: "the coordinator's simulator checks the other one"},
	{Of: []string{"collision", "regtree"}, Not: []string{"device", "impl"},
		Reason: "trees know nothing of GPUs, and statistics know warps and blocks as sizes only"},
	{Of: []string{"collision", "hwsim", "latency", "regtree", "speedup", "tuner/dispatch", "tuner/training"},
		Not:    []string{"datasets/recordings", "datasets/h100", "datasets/h200"},
		Reason: "nothing recorded, and so nothing held out, enters training, prices or the simulator"},
	{Of: []string{""},
		But: []string{"lab", "cmd/atomlab", "datasets/h100", "datasets/h200", "datasets/recordings/archive"},
		Not: []string{"lab", "cmd/atomlab", "datasets/h100", "datasets/h200", "datasets/recordings/archive",
			"gonum.org/v1/plot"},
		Reason: "the product holds nothing of the laboratory"},
	{Of: []string{""}, But: []string{"cmd", "internal/command", "datasets/columnar"},
		Not:    []string{"datasets/columnar", "github.com/klauspost/compress", "github.com/pierrec/lz4"},
		Reason: "only commands pay for the decompressors of tables"},
	{Of: []string{""}, But: []string{"cmd", "internal/command", "lab"},
		Not: []string{"cmd", "internal/command", "github.com/spf13", "github.com/jedib0t/go-pretty",
			"golang.org/x/term"},
		Reason: "programs that call the library link no command line"},
	{Of: []string{"latency", "regtree", "speedup", "tuner"}, Not: []string{"os"}, Direct: true,
		Reason: "a choice needs no disk: models are embedded"},
	{Of: []string{""}, But: []string{"internal/release"}, Not: []string{"net", "plugin"}, Direct: true,
		Reason: "no program opens a connection (a release escapes the names in URLs)"},
	{Of: []string{""}, But: []string{"cmd/atomlab", "cmd/atomprobe", "bindings/gpu/libcuda", "internal", "lab", "microbench"},
		Not: []string{"os/exec", "github.com/ebitengine/purego"}, Direct: true,
		Reason: "only who measures a GPU runs programs or loads libraries: SECURITY.md says which"},
}

// Refuses reports whether a package must not depend on another, or import it where direct.
func (r Rule) Refuses(from, to string, direct bool) bool {
	if r.Direct && !direct {
		return false
	}
	return below(from, r.Of) && !below(from, r.But) && below(to, r.Not) ||
		r.Mutual && below(from, r.Not) && below(to, r.Of)
}

// below reports whether a package is one of some folders, or in it.
func below(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return f == "" || path == f || strings.HasPrefix(path, f+"/")
	})
}
