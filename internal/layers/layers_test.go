package layers

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/atomtune/atomtune"

// listed is what go list says of a package.
type listed struct {
	ImportPath     string
	Dir            string
	Name           string
	GoFiles        []string
	CgoFiles       []string
	IgnoredGoFiles []string // of other machines
	Imports        []string
	Deps           []string
}

func (p *listed) path() string { return strings.TrimPrefix(p.ImportPath, module+"/") }

// lines counts the lines of the package besides its tests. Reading the files drops
// a cached result of this test when one of them changes.
func (p *listed) lines(t *testing.T) (lines, files int) {
	t.Helper()
	for _, name := range slices.Concat(p.GoFiles, p.IgnoredGoFiles) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(data, []byte("\n"))
		files++
	}
	return lines, files
}

func list(t *testing.T) []listed {
	t.Helper()
	fields := "ImportPath,Dir,Name,GoFiles,CgoFiles,IgnoredGoFiles,Imports,Deps"
	out, err := exec.Command("go", "list", "-json="+fields, module+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		p.lines(t)
		all = append(all, p)
	}
}

func TestImports(t *testing.T) {
	checked := 0
	seen := map[string]bool{}
	for _, p := range list(t) {
		from, ok := find(p.path())
		if !ok {
			t.Errorf("%s stands not in the table", p.path())
			continue
		}
		seen[from.Path] = true
		for _, path := range p.Deps {
			if fault := from.apart(strings.TrimPrefix(path, module+"/")); fault != "" {
				t.Errorf("%s depends on %s: %s", p.path(), path, fault)
			}
		}
		if path := linksTables(&p); path != "" {
			t.Errorf("%s links %s, which is of commands alone", p.path(), path)
		}
		for _, path := range p.Imports {
			checked++
			if fault := from.refuses(strings.TrimPrefix(path, module+"/"),
				strings.HasPrefix(path, module)); fault != "" {
				t.Errorf("%s must not import %s: %s", p.path(), path, fault)
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d imports checked", checked)
	}
	for _, p := range Packages {
		if !seen[p.Path] {
			t.Errorf("the table lists %s, which is no package", p.Path)
		}
	}
}

// linksTables is the package of commandsAlone that a package links without leave, "" for none.
func linksTables(p *listed) string {
	for _, path := range p.Deps {
		for _, alone := range commandsAlone {
			if below(path, alone) && !readsTables(p.path()) {
				return path
			}
		}
	}
	return ""
}

// TestTables: the command links the readers of tables, and who links them without leave is named.
func TestTables(t *testing.T) {
	found := map[string]bool{}
	for _, p := range list(t) {
		for _, path := range p.Deps {
			if below(path, commandsAlone[0]) {
				found[p.path()] = true
			}
		}
	}
	if !found["cmd/atomtune"] || found["datasets"] || found["tuner"] || found["clib"] {
		t.Errorf("%v link %s", found, commandsAlone[0])
	}
	for _, path := range commandsAlone {
		p := listed{ImportPath: module + "/tuner", Deps: []string{"fmt", path + "/v4"}}
		if linksTables(&p) == "" {
			t.Errorf("tuner may link %s", path)
		}
	}
}

// TestRules holds the rules against imports that they must refuse.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		from, to string
		own, ok  bool
	}{
		{"hwsim", "device", true, true}, {"hwsim", "tuner", true, false},
		{"hwsim", "speedup", true, false}, {"speedup", "hwsim", true, false},
		{"hwsim", "fmt", false, true}, {"hwsim", "github.com/spf13/cobra", false, false},
		{"hwsim", "unknown", true, false}, {"cmd/atomtune", "lab/plot", true, false},
		{"cmd/atomlab", "lab/plot", true, true}, {"tuner", "tuner/training", true, false},
		{"device", "device", true, false}, {"hwsim", "speedup/elteir", true, false},
	} {
		from, ok := find(c.from)
		if !ok {
			t.Fatalf("%s stands not in the table", c.from)
		}
		if fault := from.refuses(c.to, c.own); (fault == "") != c.ok {
			t.Errorf("%s imports %s: %q", c.from, c.to, fault)
		}
	}
}

// TestProduct holds the product to its size, and to what it links.
func TestProduct(t *testing.T) {
	all := map[string]*listed{}
	packages := list(t)
	for i := range packages {
		all[packages[i].ImportPath] = &packages[i]
	}
	linked := map[string]bool{}
	for _, program := range []string{"cmd/atomtune", "cmd/atomprobe"} {
		main := all[module+"/"+program]
		if main == nil {
			t.Fatalf("no package %s", program)
		}
		linked[main.ImportPath] = true
		for _, path := range main.Deps {
			linked[path] = true
			for _, lab := range laboratoryAlone {
				if path == lab || strings.HasPrefix(path, lab+"/") {
					t.Errorf("%s links %s", program, path)
				}
			}
		}
	}
	total := 0
	for path := range linked {
		p := all[path]
		if p == nil {
			continue // of another module
		}
		lines, files := p.lines(t)
		total += lines
		if lines >= mostLines || files > mostFiles {
			t.Errorf("%s has %d lines in %d files, at most %d and %d are wanted",
				p.path(), lines, files, mostLines, mostFiles)
		}
	}
	t.Logf("the product has %d lines", total)
	if total == 0 || total > mostProductLines {
		t.Errorf("the product has %d lines, at most %d are wanted", total, mostProductLines)
	}
}

// TestArchitecture compares the layers in doc/ARCHITECTURE.md with the table.
func TestArchitecture(t *testing.T) {
	data, err := os.ReadFile("../../doc/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]int{}
	for line := range strings.Lines(string(data)) {
		layer, names, ok := strings.Cut(strings.TrimRight(line, "\n"), "  ")
		n, err := strconv.Atoi(layer)
		if !ok || err != nil {
			continue
		}
		for _, name := range strings.Fields(names) {
			shown[name] = n
		}
	}
	for _, p := range Packages {
		if n, ok := shown[p.Path]; !ok || n != p.Layer {
			t.Errorf("doc/ARCHITECTURE.md does not show %s on layer %d", p.Path, p.Layer)
		}
		delete(shown, p.Path)
	}
	for name, n := range shown {
		t.Errorf("doc/ARCHITECTURE.md shows %s on layer %d, the table does not", name, n)
	}
}
