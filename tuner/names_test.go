package tuner_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestExportedNames: the package has few names, so that the entry points stand out.
func TestExportedNames(t *testing.T) {
	const most = 25
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
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
