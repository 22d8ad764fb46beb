package layers

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// modes are the permissions that a call may ask for what it makes, by the function's name. Files are
// 0644 where others may read them and 0600 where they may not, folders 0755, each less the umask;
// the files and folders of CreateTemp and MkdirTemp are the owner's alone.
var modes = map[string][]string{
	"os.WriteFile": {"0o644", "0o600"}, "os.OpenFile": {"0o644", "0o600"},
	"os.MkdirAll": {"0o755"}, "os.Mkdir": {"0o755"}, "os.Create": nil, "os.Chmod": nil,
}

// badModes lists the calls of a source that make something with a mode that modes does not have.
func badModes(file *ast.File) (bad []string, checked int) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := types.ExprString(call.Fun)
		wanted, ok := modes[name]
		if !ok || name == "os.OpenFile" && opens(call) {
			return true
		}
		checked++
		if mode := types.ExprString(call.Args[len(call.Args)-1]); !slices.Contains(wanted, mode) {
			bad = append(bad, fmt.Sprintf("%s makes mode %s, want one of %q", name, mode, wanted))
		}
		return true
	})
	return bad, checked
}

// opens reports whether a call of os.OpenFile says that it makes no file.
func opens(call *ast.CallExpr) bool {
	flags := types.ExprString(call.Args[1])
	return strings.Contains(flags, "os.O_") && !strings.Contains(flags, "O_CREATE")
}

// TestModes: what the programs write is no more open than it needs to be, and none of it can be run.
func TestModes(t *testing.T) {
	checked := 0
	for path, file := range sources(t) {
		bad, n := badModes(file)
		checked += n
		for _, b := range bad {
			t.Errorf("%s: %s", path, b)
		}
	}
	if checked < 15 {
		t.Errorf("only %d calls that make files were checked", checked)
	}
	for _, call := range []string{`os.WriteFile("a", nil, 0o755)`, `os.OpenFile("a", flags, 0o666)`,
		`os.Create("a")`, `os.MkdirAll("a", 0o777)`, `os.OpenFile("a", os.O_CREATE|os.O_RDWR, mode)`} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() { "+call+" }", 0)
		if err != nil {
			t.Fatal(err)
		}
		if bad, _ := badModes(file); len(bad) != 1 {
			t.Errorf("%s passes: %q", call, bad)
		}
	}
}

// reachOut lists who may import what runs or loads code from outside the program. SECURITY.md says
// what each of them runs.
var reachOut = map[string][]string{
	"os/exec": {
		"cmd/atomprobe", "probe/calls", "probe/micro", // ncu, the companion program
		"internal/faults", "internal/release", "gpu/libcuda/standin", "lab/killed", // tools of the repository
		"cmd/atomlab", // Python, where a bench has it as a reference
	},
	"github.com/ebitengine/purego": {"gpu/libcuda"},
	"plugin":                       nil,
	"net":                          nil,
	"net/http":                     nil,
}

// TestReachOut: few packages run programs or load libraries, and they are named.
func TestReachOut(t *testing.T) {
	found := map[string]bool{}
	for path, file := range sources(t) {
		of := filepath.ToSlash(filepath.Dir(path))
		for _, i := range file.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			may, watched := reachOut[name]
			if !watched {
				continue
			}
			found[name+" "+of] = true
			if !slices.Contains(may, of) {
				t.Errorf("%s imports %s", path, name)
			}
		}
	}
	for name, may := range reachOut {
		for _, of := range may {
			if !found[name+" "+of] {
				t.Errorf("%s may import %s and does not", of, name)
			}
		}
	}
}

// sources are the files of all packages besides tests, those of other systems among them, by path
// below the module.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	for _, p := range list(t) {
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil,
				parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files[p.path()+"/"+name] = file
		}
	}
	if len(files) < 500 {
		t.Errorf("only %d files were found", len(files))
	}
	return files
}
