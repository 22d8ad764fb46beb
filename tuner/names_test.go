package tuner_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"
)

// TestExportedNames: the package has few names, so that the entry points stand out.
func TestExportedNames(t *testing.T) {
	const most = 25
	source := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	packages, err := parser.ParseDir(token.NewFileSet(), ".", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range packages["tuner"].Files {
		for name := range file.Scope.Objects {
			if ast.IsExported(name) {
				names[name] = true
			}
		}
	}
	if len(names) > most {
		t.Errorf("%d exported names, at most %d: %v", len(names), most, names)
	}
	for _, entry := range []string{"Choose", "ChooseStream", "ChooseSampled", "NewChooser"} {
		if !names[entry] {
			t.Errorf("%s is missing", entry)
		}
	}
}
