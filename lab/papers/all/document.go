package all

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/plot"
)

// wordsTable says of each experiment with a figure what the paper measures and what is done here.
//
//go:embed figures.csv
var wordsTable string

// Result is a paper with what its experiments find, in their order.
type Result struct {
	papers.Paper
	Outcomes []papers.Outcome
}

// Figure is an SVG document by its name, which has no ending.
type Figure struct {
	Name string
	SVG  []byte
}

// Found is what doc/results/REPRODUCED.md says of a paper.
type Found struct {
	Paper       string         `json:"paper"`
	All         papers.Summary `json:"all"`
	Numbers     string         `json:"numbers"` // title of the figure of all its numbers; none where empty
	Experiments []Experiment   `json:"experiments"`
}

// Experiment is one with a figure.
type Experiment struct {
	Name  string         `json:"name"`
	Found papers.Summary `json:"found"`
}

// find sums up results, and draws their figures.
func find(results []Result) (all []Found, figures []Figure, err error) {
	draw := func(name string, page plot.Page) {
		svg, failed := page.SVG()
		if failed != nil && err == nil {
			err = fmt.Errorf("%s: %w", name, failed)
		}
		figures = append(figures, Figure{name, svg})
	}
	for _, r := range results {
		var rows []papers.Row
		for _, out := range r.Outcomes {
			rows = append(rows, out.Rows...)
		}
		f := Found{Paper: r.Key, All: papers.SummaryOf(rows)}
		if numbers := papers.NumbersPage(r.Key, rows); len(numbers.Panels) > 0 {
			f.Numbers = numbers.Title
			draw(figureName(r.Key, "numbers"), numbers)
		}
		for i, out := range r.Outcomes {
			if len(out.Page.Panels) == 0 {
				continue
			}
			x := r.Experiments[i]
			f.Experiments = append(f.Experiments, Experiment{x.Name, papers.SummaryOf(out.Rows)})
			draw(figureName(r.Key, x.Name), out.Page)
		}
		all = append(all, f)
	}
	return all, figures, err
}

const documentHead = `# Figures of papers, recomputed

Rendered from lab/papers/all/results.json, which ` + "`script/regenerate papers`" + ` computes together with the figures.
` + "`atomlab reproduce PAPER --out FOLDER`" + ` draws the same figures. They use stored simulated times, the seeds of
those times, and fewer random patterns than the papers. The papers' values are the few numbers in their text and
tables; none was read off a picture. The first picture of each paper shows all numbers that are compared; the other
figures show those that fit their axes.

"Off" is our number divided by the paper's, minus 1. If ours is an interval, its end further away counts. Two kinds
of numbers do not count: upper limits, and numbers where we read the paper differently from its text. A statement that does
not hold here is a known gap. ` + "`atomlab reproduce PAPER`" + ` explains each gap, and also lists the experiments without a
picture.
`

// Document is doc/results/REPRODUCED.md, beside the folder of its figures.
func Document(all []Found) ([]byte, error) {
	var doc bytes.Buffer
	words := wordsOf(wordsTable)
	doc.WriteString(documentHead)
	for _, f := range all {
		p, err := paperOf(f.Paper)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&doc, "\n## %s\n\n%s.\n\nIn all: %s.\n", f.Paper, p.Reference, f.All)
		if f.Numbers != "" {
			show(&doc, f.Numbers, figureName(f.Paper, "numbers"))
		}
		for _, x := range f.Experiments {
			name := figureName(f.Paper, x.Name)
			w, ok := words[name]
			if !ok {
				return nil, fmt.Errorf("figures.csv has no words for %s", name)
			}
			delete(words, name)
			i := slices.IndexFunc(p.Experiments, func(e papers.Experiment) bool { return e.Name == x.Name })
			if i < 0 {
				return nil, fmt.Errorf("%s has no experiment %s", f.Paper, x.Name)
			}
			title := p.Experiments[i].Title
			fmt.Fprintf(&doc, "\n### %s: %s\n\nIn the paper: %s. Here: %s.\n\n%s.\n", place(x.Name), title,
				w[0], w[1], x.Found)
			show(&doc, title, name)
		}
	}
	for name := range words {
		return nil, fmt.Errorf("figures.csv has words for %s, which draws no figure", name)
	}
	return doc.Bytes(), nil
}

// paperOf is the paper of a key.
func paperOf(key string) (papers.Paper, error) {
	for _, p := range Papers() {
		if p.Key == key {
			return p, nil
		}
	}
	return papers.Paper{}, fmt.Errorf("no paper %s", key)
}

// show shows a figure.
func show(doc *bytes.Buffer, title, name string) {
	fmt.Fprintf(doc, "\n![%s](figures/%s.svg)\n", title, name)
}

// Headline are the figures by the names that documents show them by.
func Headline(all []Found) map[string]string {
	hold, statements := 0, 0
	for _, f := range all {
		hold, statements = hold+f.All.Hold, statements+f.All.Statements
	}
	return map[string]string{"papers": strconv.Itoa(len(all)), "papers.hold": strconv.Itoa(hold),
		"papers.statements": strconv.Itoa(statements)}
}

// wordsOf reads a table of words by paper and experiment. It panics where the table is wrong: it is
// part of the program.
func wordsOf(table string) map[string][2]string {
	lines, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("figures.csv: %v", err))
	}
	words := map[string][2]string{}
	for _, l := range lines[1:] {
		words[figureName(l[0], l[1])] = [2]string{l[2], l[3]}
	}
	return words
}

func figureName(paper, experiment string) string { return paper + "-" + experiment }

// place is the name of an experiment as a paper writes it: figure5 is Figure 5.
func place(name string) string {
	at := strings.IndexFunc(name, unicode.IsDigit)
	if at < 1 {
		return name
	}
	return strings.ToUpper(name[:1]) + name[1:at] + " " + name[at:]
}
