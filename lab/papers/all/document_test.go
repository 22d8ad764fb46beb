package all

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/atomtune/atomtune/lab/results"
)

const figuresFolder = "../../../doc/results/figures"

// mostBytes is what a figure may take.
const mostBytes = 100_000

// checkDocument holds results.json and the figures of doc/results/REPRODUCED.md to what experiments find.
// ATOMTUNE_UPDATE_GOLDEN=1 writes both.
func checkDocument(t *testing.T, made []Result) {
	golden.OnlyFull(t)
	all, figures, err := find(made)
	if err != nil {
		t.Fatal(err)
	}
	text, err := results.Encode(all)
	if err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "results.json", text)
	var names []string
	for _, f := range figures {
		names = append(names, f.Name+".svg")
		golden.Text(t, filepath.Join(figuresFolder, f.Name+".svg"), string(f.SVG))
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
			t.Errorf("%s is not a figure of the document", file)
		}
	}
	if len(figures) < 35 {
		t.Errorf("%d figures", len(figures))
	}
}

// TestWords: a figure without words, and words without a figure, are errors that name it.
func TestWords(t *testing.T) {
	one := Found{Paper: "streamhpc", Experiments: []Experiment{{Name: "none"}}}
	for word, found := range map[string][]Found{"streamhpc-none": {one}, "which draws no figure": nil} {
		if _, err := Document(found); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%d papers: %v, want %q", len(found), err, word)
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
