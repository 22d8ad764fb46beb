package all

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

const (
	documentFile  = "../../../doc/REPRODUCED.md"
	figuresFolder = "../../../doc/figures"
)

// mostBytes is what a figure may take.
const mostBytes = 100_000

// checkDocument makes doc/REPRODUCED.md and its figures anew and compares them with the committed
// ones. ATOMTUNE_UPDATE_GOLDEN=1 writes them.
func checkDocument(t *testing.T, results []Result) {
	if testing.Short() {
		t.Skip("runs in the full tests: makes all experiments")
	}
	page, figures, err := Document(results)
	if err != nil {
		t.Fatal(err)
	}
	if golden.Update() {
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
