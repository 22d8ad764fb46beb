package calls

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/variant"
)

// TestOneTable: outside of tests, implementations.go alone of all that measures or calls
// names implementations, so that a new one touches one file.
func TestOneTable(t *testing.T) {
	var all []string
	for _, pattern := range []string{"../*.go", "../*/*.go", "../../cmd/atomprobe/*.go",
		"../../gpu/*.go", "../../gpu/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, files...)
	}
	table, err := os.ReadFile("../../variant/table.go")
	if err != nil {
		t.Fatal(err)
	}
	var constants []string
	for _, group := range regexp.MustCompile(`(?s)const \(\n\t\w+ +(Base|Reduction) .*?\n\)`).
		FindAllString(string(table), -1) {
		for _, m := range regexp.MustCompile(`(?m)^\t([A-Z]\w*)`).FindAllStringSubmatch(group, -1) {
			constants = append(constants, m[1])
		}
	}
	if len(constants) < 11 || !slices.Contains(constants, "ThreadPrivate") ||
		!slices.Contains(constants, "Match") {
		t.Fatalf("variant/table.go has the constants %v alone", constants)
	}
	constant := regexp.MustCompile(`\bvariant\.(` + strings.Join(constants, "|") + `)\b`)
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
	if checked < 30 || named < 7 {
		t.Errorf("%d files, %d names in the table", checked, named)
	}
}

// TestUnmeasured: every implementation that the suite lists has its kernels, but those
// for which there are none: coordinator, and what a newcomer adds before its kernels.
func TestUnmeasured(t *testing.T) {
	suite := testSuite(h200Description())
	in, err := suite.prepare(tinySources(t)[2])
	if err != nil {
		t.Fatal(err)
	}
	none := []variant.Variant{
		{Reduction: variant.ReductionCount}, {Reduction: variant.VR, Threshold: 9},
		{Base: variant.Private, Reduction: variant.Peers},
	}
	for _, call := range suite.calls {
		for _, v := range append(implementations(call, false), none...) {
			want := v.Base != variant.Coordinator && !slices.Contains(none, v) &&
				v.Worthwhile(in.bins, call.Type.Bytes())
			if got := suite.runs(v, call, in); got != want {
				t.Errorf("%v, %+v: measured %v", call, v, got)
			}
			if got := arrangementOf(v); (got != asGiven) != v.Scatter {
				t.Errorf("%s: arrangement %d", v, got)
			}
		}
	}
}
