package figures

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const root = "../.."

// generated lists the documents that a test compares with what it makes, whole, and folders of such.
var generated = []string{"doc/BENCH.md", "doc/DISPATCH.md", "doc/DISPATCH_WAYS.md", "doc/ESTIMATES.md",
	"doc/KERNELS.md", "doc/LOCKS.md", "doc/REPRODUCED.md", "doc/RESULTS.md", "doc/ROWS.md", "doc/SPEED.md",
	"doc/tables/"}

// parts lists what generated documents are made of, and the history, whose figures are of their time.
var parts = []string{"tables/readme.md", "CHANGELOG.md"}

// limits lists the durations that help and comments name all the same: limits and waits that the code
// sets, by file.
var limits = map[string][]string{
	"cmd/atomprobe/measure.go": {" 30 s"},            // of --quick, on a GPU
	"cmd/atomprobe/time.go":    {" 1000000 seconds"}, // of --budget

	"deploy/kubernetes/fetch.yaml": {"an hour"}, // until the pod ends
}

func tracked(t *testing.T, patterns ...string) []string {
	t.Helper()
	args := append([]string{"-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "--"},
		patterns...)
	out, err := exec.Command("git", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func among(path string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool {
		return path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(path, p)
	})
}

// TestDocuments: each figure of a document that is written by hand has a source, and each known gap a
// test; both are there, and belong to a figure and a gap.
func TestDocuments(t *testing.T) {
	documents, checked, gaps := 0, 0, 0
	for _, document := range tracked(t, "*.md") {
		if among(document, generated) || among(document, parts) {
			continue
		}
		documents++
		for _, b := range blocks(read(t, document)) {
			figures := found(b.text)
			checked += len(figures)
			switch {
			case len(figures) > 0 && b.sources == nil:
				t.Errorf("%s:%d: no source for %q in %.60q", document, b.line, figures, b.text)
			case len(figures) == 0 && b.sources != nil:
				t.Errorf("%s:%d: sources of no figure: %q", document, b.line, b.sources)
			}
			if states := gap.MatchString(b.text); states != (b.gaps != nil) {
				t.Errorf("%s:%d: %.60q states a gap: %t, and names tests of one: %q", document, b.line, b.text,
					states, b.gaps)
			}
			gaps += len(b.gaps)
			for _, s := range slices.Concat(b.sources, b.gaps) {
				if err := holds(t, document, s); err != nil {
					t.Errorf("%s:%d: source %q: %v", document, b.line, s, err)
				}
			}
		}
	}
	if documents < 15 || checked < 30 || gaps < 8 {
		t.Errorf("only %d figures and %d gaps in %d documents were checked", checked, gaps, documents)
	}
}

// holds returns an error where a source is not there, or a test does not read the document.
func holds(t *testing.T, document, source string) error {
	t.Helper()
	if file, text, ok := strings.Cut(source, ": "); ok {
		if !strings.Contains(read(t, file), text) {
			return fmt.Errorf("%s holds no %q", file, text)
		}
		return nil
	}
	folder, function, ok := strings.Cut(source, " ")
	if !ok {
		return fmt.Errorf("want PACKAGE TEST or FILE: TEXT")
	}
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		return err
	}
	declared, reads := false, false
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		declared = declared || strings.Contains(string(text), "\nfunc "+function+"(")
		reads = reads || strings.Contains(string(text), path.Base(document))
	}
	if !declared || !reads {
		return fmt.Errorf("package %s declares %s: %v, and reads %s: %v", folder, function, declared,
			path.Base(document), reads)
	}
	return nil
}

// TestGenerated: what is left out is there, and a test outside of this package knows its name.
func TestGenerated(t *testing.T) {
	for _, g := range generated {
		if len(tracked(t, g)) == 0 {
			t.Errorf("no document %s", g)
		}
		name := path.Base(g)
		out, err := exec.Command("git", "-C", root, "grep", "-l", "--untracked", name, "--",
			"*_test.go", ":!internal/figures").Output()
		if err != nil || len(out) == 0 {
			t.Errorf("no test names %s: %v", name, err)
		}
	}
}

// TestDurations: no help, page, comment or script says how long a run takes.
func TestDurations(t *testing.T) {
	texts := 0
	check := func(file string, line int, text string) {
		texts++
		text = blanks.ReplaceAllString(text, " ")
		for _, at := range duration.FindAllStringIndex(text, -1) {
			if d := text[at[0]:at[1]]; !slices.Contains(limits[file], d) {
				t.Errorf("%s:%d: %q in %q", file, line, d, text[max(0, at[0]-40):min(len(text), at[1]+40)])
			}
		}
	}
	for _, file := range tracked(t, "*.go", ":!*_test.go", ":!*/testdata/*",
		":!internal/figures") {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, filepath.Join(root, file), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range parsed.Comments {
			check(file, set.Position(c.Pos()).Line, c.Text())
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				text, err := strconv.Unquote(l.Value)
				if err != nil {
					t.Fatal(err)
				}
				check(file, set.Position(l.Pos()).Line, text)
			}
			return true
		})
	}
	for _, others := range []struct {
		text  string // what of a line is looked at, its first group
		files []string
	}{
		{`(?m)# (.*)$`, []string{"script", "*.sh", "*.py", "*Makefile", "*.sbatch", "*.yaml"}},
		{`(?m)// (.*)$`, []string{"*.c", "*.cc", "*.cpp", "*.h", "*.cu", "*.cuh", "*.cl", "*.js"}},
		{`(?m)^(.+)$`, []string{"cmd/*.txt", "*.tmpl", "*.html", ":!*/testdata/*"}},
	} {
		looked := regexp.MustCompile(others.text)
		for _, file := range tracked(t, others.files...) {
			var text strings.Builder // a duration may begin on one line and end on the next
			for _, line := range looked.FindAllStringSubmatch(read(t, file), -1) {
				text.WriteString(line[1] + "\n")
				texts++
			}
			check(file, 1, text.String())
		}
	}
	if texts < 10000 {
		t.Errorf("only %d texts were checked", texts)
	}
	for file, list := range limits {
		for _, d := range list {
			if !strings.Contains(read(t, file), d) {
				t.Errorf("%s does not say %q", file, d)
			}
		}
	}
}

// TestFound: what is a figure, and what is none.
func TestFound(t *testing.T) {
	for text, want := range map[string]int{
		"it takes 6.2 times as long":                1,
		"18 % off, or 7 to 23 % of all":             2,
		"in 94 s on two cores":                      2, // as a figure and as a duration
		"which takes twenty minutes":                1,
		"in a minute":                               1,
		"It takes half a minute.":                   1,
		"hours of work: it takes hours":             1,
		"in half an hour, a quarter of an hour":     2,
		"a minute or two":                           1,
		"simulate for some seconds":                 1,
		"133 us and 194 us":                         2,
		"5 ms":                                      1,
		"a 90 % interval of 95 % intervals":         0,
		"a second pass, the second time, one day":   1,
		"2^20 updates, 32 lanes, v0.3.0, f32":       0,
		"synth:zipf:n=65536,k=1024,seed=1,s=1.1":    0,
		"no more than a few, 3 samples, 12 streams": 0,
	} {
		if got := found(text); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}

// TestBlocks: code is left out, and sources stand before their block.
func TestBlocks(t *testing.T) {
	const document = "# Head\n\n<!-- figures: a TestA; b.go: c -->\n<!-- gaps: d TestD -->\nIt takes\n5 % `5 %`.\n\n" +
		"```sh\n7 s\n```\n\n    8 s\n\n- a list\n    of 9 %\n"
	got := fmt.Sprintf("%+v", blocks(document))
	want := "[{line:1 text:# Head sources:[] gaps:[]} {line:3 text:It takes 5 % `. sources:[a TestA b.go: c] gaps:[d TestD]} " +
		"{line:14 text:- a list of 9 % sources:[] gaps:[]}]"
	if got != want {
		t.Errorf("blocks\n%s\nwant\n%s", got, want)
	}
	for _, source := range []string{"a", "internal/figures TestNothing", "internal/layers TestRules",
		"go.mod: module nothing"} {
		if holds(t, "doc/NONE.md", source) == nil {
			t.Errorf("source %q holds", source)
		}
	}
}
