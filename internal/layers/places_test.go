package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostPlaces bounds the Go files that name an implementation: a row each in the tables of
// variant, device, speedup, hwsim, probe and cuda/emit. The CUDA header and the file with a
// price or a kernel of its own make eight.
const mostPlaces = 6

// implementationConstants lists the constants of types Base and Reduction.
func implementationConstants(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../variant/table.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		first, _ := group.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident)
		if first == nil || first.Name != "Base" && first.Name != "Reduction" {
			continue
		}
		for _, s := range group.Specs {
			if name := s.(*ast.ValueSpec).Names[0].Name; !strings.HasSuffix(name, "Count") {
				names = append(names, name)
			}
		}
	}
	return names
}

// named returns the constants of package variant that a file may name: those behind
// the package's name or, in the package itself, those that stand alone.
func named(t *testing.T, path string, inside bool) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "variant" && !inside {
				names = append(names, n.Sel.Name)
			}
			ast.Inspect(n.X, visit) // a field or method may be called like a constant
			return false
		case *ast.Ident:
			if inside {
				names = append(names, n.Name)
			}
		}
		return true
	}
	ast.Inspect(file, visit)
	return names
}

// TestImplementationPlaces holds the number of files that have to know an implementation.
func TestImplementationPlaces(t *testing.T) {
	places := map[string][]string{}
	for _, p := range list(t) {
		path := p.path()
		if strings.HasPrefix(path, "lab/") || path == "hwsim/apps" {
			continue
		}
		for _, name := range p.GoFiles {
			file := filepath.Join(p.Dir, name)
			for _, c := range named(t, file, path == "variant") {
				if place := path + "/" + name; !slices.Contains(places[c], place) {
					places[c] = append(places[c], place)
				}
			}
		}
	}
	constants := implementationConstants(t)
	if len(constants) < 11 {
		t.Errorf("variant/table.go has the constants %v alone", constants)
	}
	for _, c := range constants {
		files := places[c]
		t.Log(c, files)
		switch {
		case !slices.Contains(files, "variant/table.go"):
			t.Errorf("%s stands in %v, not in the table", c, files)
		case len(files) > mostPlaces:
			t.Errorf("%s is named in %d files, at most %d: %v", c, len(files), mostPlaces, files)
		}
	}
}
