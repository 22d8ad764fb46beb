package all

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/paperstest"
	"github.com/atomtune/atomtune/lab/plot"
)

const (
	documentFile  = "../../../doc/REPRODUCED.md"
	figuresFolder = "../../../doc/figures"
)

// stored are the options and the simulated times with which each paper's statuses are tested.
var stored = map[string]struct {
	options papers.Options
	times   string
}{
	"gomezluna13": {papers.Options{Patterns: 20_000}, "../testdata/gomezluna13.csv"},
	"elteir11":    {papers.Options{}, "../testdata/others.csv"},
	"streamhpc":   {papers.Options{}, "../testdata/others.csv"},
	"westphal15":  {papers.Options{Seed: 3}, "../testdata/others.csv"},
	"egielski14":  {papers.Options{}, "../egielski14/testdata/times.csv"},
}

// results makes all experiments. None of the runs whose times are stored is simulated.
func results(t *testing.T) []Result {
	t.Helper()
	var all []Result
	for _, p := range Papers() {
		s, ok := stored[p.Key]
		if !ok {
			t.Fatalf("no stored times of %s", p.Key)
		}
		times := paperstest.Stored(t, s.times)
		s.options.Memo = papers.NewMemo(times)
		r := Result{Paper: p}
		for _, x := range p.Experiments {
			out, err := x.Run(t.Context(), s.options)
			if err != nil {
				t.Fatal(err)
			}
			r.Outcomes = append(r.Outcomes, out)
		}
		if runs := s.options.Memo.Times(); len(runs) != len(times) {
			t.Errorf("%s: %d runs are not in %s", p.Key, len(runs)-len(times), s.times)
		}
		all = append(all, r)
	}
	return all
}

// mostBytes is what a figure may take.
const mostBytes = 100_000

// TestDocument makes doc/REPRODUCED.md and its figures anew and compares them with the committed
// ones. ATOMTUNE_UPDATE_GOLDEN=1 writes them.
func TestDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in the full tests: makes all experiments")
	}
	page, figures, err := Document(results(t))
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("ATOMTUNE_UPDATE_GOLDEN") != "" {
		renew(t, page, figures)
	}
	committed, err := os.ReadFile(documentFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(committed), "\n"),
		strings.Split(string(page), "\n")); diff != "" {
		t.Errorf("%s (-committed +now):\n%s", documentFile, diff)
	}
	var names []string
	for _, f := range figures {
		names = append(names, f.Name+".svg")
		svg, err := os.ReadFile(filepath.Join(figuresFolder, f.Name+".svg"))
		if err != nil || !bytes.Equal(svg, f.SVG) {
			t.Errorf("%s is not what is drawn now: ATOMTUNE_UPDATE_GOLDEN=1 renews it (%v)", f.Name, err)
		}
		if len(f.SVG) > mostBytes {
			t.Errorf("%s takes %d bytes, more than %d", f.Name, len(f.SVG), mostBytes)
		}
	}
	files, err := filepath.Glob(filepath.Join(figuresFolder, "*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.Contains(names, filepath.Base(file)) {
			t.Errorf("%s is no figure of the document", file)
		}
	}
	if len(figures) < 35 {
		t.Errorf("%d figures", len(figures))
	}
}

func renew(t *testing.T, page []byte, figures []Figure) {
	t.Helper()
	if err := os.MkdirAll(figuresFolder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(documentFile, page, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		if err := os.WriteFile(filepath.Join(figuresFolder, f.Name+".svg"), f.SVG, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWords: a figure without words, and words without a figure, are errors that name it.
func TestWords(t *testing.T) {
	drawn := papers.Outcome{Page: plot.Page{Panels: []plot.Panel{plot.Figure{Lines: []plot.Line{
		{Name: "a", X: []float64{1}, Y: []float64{2}}}}}}}
	one := Result{Paper: papers.Paper{Key: "paper", Experiments: []papers.Experiment{{Name: "figure1"}}},
		Outcomes: []papers.Outcome{drawn}}
	for word, results := range map[string][]Result{"paper-figure1": {one}, "which draws no figure": nil} {
		if _, _, err := Document(results); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%d results: %v, want %q", len(results), err, word)
		}
	}
}

// TestPlace: figures, tables and sections are named as papers name them.
func TestPlace(t *testing.T) {
	for name, want := range map[string]string{"figure5": "Figure 5", "section2.1.1": "Section 2.1.1",
		"steps": "steps", "table3": "Table 3"} {
		if got := place(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
