package layers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/atomtune/atomtune/"

// broken lists what packages depend on against the rules, with the files of an overlay planted.
func broken(t *testing.T, goos, overlay string) (found []string, packages int) {
	t.Helper()
	c := exec.Command("go", "list", "-e", "-overlay="+overlay, "-json=ImportPath,Imports,Deps", module+"...")
	c.Env = append(os.Environ(), "GOOS="+goos)
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); packages++ {
		var p struct {
			ImportPath    string
			Imports, Deps []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		from := strings.TrimPrefix(p.ImportPath, module)
		for _, path := range slices.Concat(p.Imports, p.Deps) {
			to := strings.TrimPrefix(path, module)
			for i, r := range Rules {
				if r.Refuses(from, to, slices.Contains(p.Imports, path)) {
					found = append(found, fmt.Sprintf("rule %d: %s depends on %s: %s", i, from, to, r.Reason))
				}
			}
		}
	}
	return found, packages
}

func TestRules(t *testing.T) {
	for _, goos := range []string{"linux", "windows"} {
		found, packages := broken(t, goos, "")
		for _, f := range found {
			t.Errorf("%s: %s", goos, f)
		}
		if packages < 50 {
			t.Errorf("%s: only %d packages are listed", goos, packages)
		}
	}
}

// TestPlanted plants packages that import what each rule refuses, and for mutual rules the reverse: each
// is found, and what comes through a third too.
func TestPlanted(t *testing.T) {
	folder, replaced := t.TempDir(), map[string]string{}
	write := func(name, text string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"rule 0: hwsim/planted0 depends on speedup: "}
	plant := func(rule int, from, to string) {
		path := to
		if _, err := os.Stat("../../" + to); err == nil {
			path = module + to
		}
		name := fmt.Sprint("planted", len(replaced))
		from = filepath.Join(from, name)
		want = append(want, fmt.Sprintf("rule %d: %s depends on %s: ", rule, filepath.ToSlash(from), to))
		replaced[filepath.Join(root, from, "planted.go")] = write(name+".go", "package p\n\nimport _ \""+path+"\"\n")
	}
	plant(0, "hwsim", "tuner")
	for i, r := range Rules {
		for _, to := range r.Not {
			plant(i, r.Of[0], to)
			if r.Mutual {
				plant(i, to, r.Of[0])
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	found, _ := broken(t, "linux", write("overlay", string(text)))
	for _, w := range want {
		if !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, w) }) {
			t.Errorf("not found: %s", w)
		}
	}
}
