package floors

import (
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

type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", module+"/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		p.touch(t)
		all = append(all, p)
	}
}

// touch reads the package's files, so that a cached result of this test is
// dropped when one of them changes.
func (p *listed) touch(t *testing.T) {
	t.Helper()
	for _, name := range p.GoFiles {
		if _, err := os.ReadFile(filepath.Join(p.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// roomOf returns the room with the longest path that holds the package.
func roomOf(path string) (Room, bool) {
	path = strings.TrimPrefix(path, module+"/")
	var best Room
	for _, r := range Rooms {
		if (path == r.Path || strings.HasPrefix(path, r.Path+"/")) && len(r.Path) > len(best.Path) {
			best = r
		}
	}
	return best, best.Path != ""
}

func (r Room) mayImport(path string) bool {
	if path == module || strings.HasPrefix(path, module+"/") {
		to, known := roomOf(path)
		return known && (to.Path == r.Path || to.Floor < r.Floor)
	}
	if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") {
		return true // standard library
	}
	return slices.ContainsFunc(r.Other, func(m string) bool {
		return path == m || strings.HasPrefix(path, m+"/")
	})
}

func TestImports(t *testing.T) {
	seen := map[string]bool{}
	checked := 0
	for _, p := range packages(t) {
		room, ok := roomOf(p.ImportPath)
		if !ok {
			t.Errorf("%s stands in no room of the table", p.ImportPath)
			continue
		}
		seen[room.Path] = true
		for _, path := range p.Imports {
			checked++
			if !room.mayImport(path) {
				t.Errorf("%s must not import %s", p.ImportPath, path)
			}
			for _, pair := range Apart {
				to, _ := roomOf(path)
				if (room.Path == pair[0] && to.Path == pair[1]) || (room.Path == pair[1] && to.Path == pair[0]) {
					t.Errorf("%s and %s must stay apart, but %s imports %s", pair[0], pair[1], p.ImportPath, path)
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d imports checked", checked)
	}
	for _, r := range Rooms {
		if !seen[r.Path] {
			t.Errorf("the table lists %s, which has no package", r.Path)
		}
	}
}

// TestTableBites checks that the rules reject what they should.
func TestTableBites(t *testing.T) {
	hwsim, _ := roomOf(module + "/hwsim")
	for path, want := range map[string]bool{
		module + "/device": true, module + "/tuner": false, module + "/speedup": false,
		"fmt": true, "github.com/spf13/cobra": false, module + "/unknown": false,
	} {
		if got := hwsim.mayImport(path); got != want {
			t.Errorf("hwsim imports %s: %v, want %v", path, got, want)
		}
	}
}

// TestArchitecture compares the floors in doc/ARCHITECTURE.md with the table.
func TestArchitecture(t *testing.T) {
	data, err := os.ReadFile("../../doc/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, r := range Rooms {
		found := false
		for line := range strings.Lines(text) {
			floor, names, ok := strings.Cut(line, "  ")
			if ok && floor == strconv.Itoa(r.Floor) && slices.Contains(strings.Fields(names), r.Path) {
				found = true
			}
		}
		if !found {
			t.Errorf("doc/ARCHITECTURE.md does not show %s on floor %d", r.Path, r.Floor)
		}
	}
}
