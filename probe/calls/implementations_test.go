package calls

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/variant"
)

// TestOneTable: outside of tests, implementations.go alone of all that measures
// names implementations, so that a new one touches one file.
func TestOneTable(t *testing.T) {
	var all []string
	for _, pattern := range []string{"../*.go", "../*/*.go", "../../cmd/atomprobe/*.go", "../../cmd/atomprobe/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, files...)
	}
	constant := regexp.MustCompile(
		`\bvariant\.(Global|Private|Coordinator|Sort|SegReduce|ThreadPrivate|None|SR|VR|Peers|Match)\b`)
	checked, named := 0, 0
	for _, path := range all {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		checked++
		found := constant.FindAll(text, -1)
		if filepath.Base(path) == "implementations.go" {
			named = len(found)
		} else if len(found) > 0 {
			t.Errorf("%s names %s", path, found)
		}
	}
	if checked < 30 || named < 10 {
		t.Errorf("%d files, %d names in the table", checked, named)
	}
}

// TestRows: every candidate but coordinator, for which there is no kernel, has its
// rows.
func TestRows(t *testing.T) {
	for _, v := range variant.Candidates() {
		_, based := bases[v.Base]
		_, reduced := reductions[v.Reduction]
		if based != (v.Base != variant.Coordinator) || !reduced {
			t.Errorf("%s: row of its base %v, of its reduction %v", v, based, reduced)
		}
		if got := arrangementOf(v); (got != asGiven) != v.Scatter {
			t.Errorf("%s: arrangement %d", v, got)
		}
	}
}
