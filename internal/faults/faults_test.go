package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFaults: each listed fault can be planted in the tree as it is.
func TestFaults(t *testing.T) {
	all, err := parse(listed)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range all {
		if names[f.name] {
			t.Errorf("%s: stands twice", f.name)
		}
		names[f.name] = true
		if _, err := f.planted("../.."); err != nil {
			t.Error(err)
		}
	}
	if len(all) < 80 {
		t.Errorf("%d faults", len(all))
	}
}

func TestParse(t *testing.T) {
	all, err := parse("# a title\n\nOne\nfile a/b.go\n- x\n- \ty\n+ z\ntest TestA\n\n" +
		"Two\nfile a/c.go\n- x\n+ \ntest A|B other\n")
	want := []fault{{"One", "a/b.go", "x\n\ty", "z", "a", "TestA"},
		{"Two", "a/c.go", "x", "", "other", "A|B"}}
	if err != nil || !slices.Equal(all, want) {
		t.Errorf("%+v, %v", all, err)
	}
	for _, text := range []string{"One\nfile a.go\n- x\n+ y\n", "One\n- x\n+ y\ntest T\n",
		"One\nfile a.go\n- x\n+ x\ntest T\n", "One\nfiles a.go\n"} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), "One") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestPlant plants faults in a module of one function: one that its test finds, one that it does
// not, and some that are no faults.
func TestPlant(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example\n\ngo 1.26\n",
		"half/half.go":    "package half\n\nfunc Of(x int) int { return x / 2 } // x\n",
		"half/of_test.go": "package half\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestOf(t *testing.T) {\n\tif Of(2) != 1 {\n\t\tt.Error(\"RAPID_NOFAILFILE=\" + os.Getenv(\"RAPID_NOFAILFILE\"))\n\t}\n}\n\nfunc TestNot(t *testing.T) { t.Error() }\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var all []fault
	verdicts := map[string]string{}
	for _, c := range []struct{ name, old, now, tests, verdict string }{
		{"a wrong factor", "x / 2", "x / 3", "TestOf", caught},
		{"rounded up", "x / 2", "(x + 1) / 2", "TestOf", survived},
		{"not compiled", "x / 2", "x / y", "TestOf", broken},
		{"more than once", "x", "2", "TestOf", broken},
		{"not there", "x / 4", "x / 3", "TestOf", broken},
		{"no test", "x / 2", "x / 3", "TestIf", broken},
		{"a test that fails anyway", "x / 2", "x / 3", "TestNot", broken},
	} {
		all = append(all, fault{c.name, "half/half.go", c.old, c.now, "half", c.tests})
		verdicts[c.name] = c.verdict
	}
	for o := range plantAll(root, all, 2) {
		if o.verdict != verdicts[o.fault.name] {
			t.Errorf("%s: %s, want %s: %s", o.fault.name, o.verdict, verdicts[o.fault.name], o.output)
		}
		if o.verdict == caught && !slices.Equal(failing(o.output), []string{"TestOf"}) {
			t.Errorf("%s: %v", o.output, failing(o.output))
		}
		if o.verdict == caught && !strings.Contains(o.output, "RAPID_NOFAILFILE=1\n") {
			t.Errorf("tests may keep files of what fails: %s", o.output)
		}
		delete(verdicts, o.fault.name)
	}
	if len(verdicts) != 0 {
		t.Errorf("no outcome of %v", verdicts)
	}
}
