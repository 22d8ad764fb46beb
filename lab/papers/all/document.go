package all

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
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

const documentHead = `# Figures of papers, recomputed

What ` + "`atomlab reproduce PAPER --out FOLDER`" + ` draws, from stored simulated times, with fewer random
patterns than the papers', and the seeds of those times. No picture of a paper was measured off: its
values are the numbers in its text and tables, which are few. They stand in a figure where it has a
place for them, and all that are compared in the first picture of a paper.

"Off" is ours over the paper's number, less one, of the end further away where ours is an interval.
Limits, which ours may stay below, and readings of ours, which differ from the paper's text, do not
count. A statement that does not hold here is a known gap: ` + "`atomlab reproduce PAPER`" + ` says why, and
lists the experiments without a picture too.
`

// Document is doc/REPRODUCED.md, and the figures that it shows from the folder figures beside it.
func Document(results []Result) (page []byte, figures []Figure, err error) {
	d := document{words: wordsOf(wordsTable)}
	d.WriteString(documentHead)
	for _, r := range results {
		if err := d.paper(r); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", r.Key, err)
		}
	}
	for name := range d.words {
		return nil, nil, fmt.Errorf("figures.csv has words for %s, which draws no figure", name)
	}
	return d.Bytes(), d.figures, nil
}

type document struct {
	bytes.Buffer
	figures []Figure
	words   map[string][2]string // of those that are not yet drawn
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

// paper writes the section of a paper.
func (d *document) paper(r Result) error {
	var rows []papers.Row
	for _, out := range r.Outcomes {
		rows = append(rows, out.Rows...)
	}
	fmt.Fprintf(d, "\n## %s\n\n%s.\n\nIn all: %s.\n", r.Key, r.Reference, papers.Summary(rows))
	if numbers := papers.NumbersPage(r.Key, rows); len(numbers.Panels) > 0 {
		if err := d.draw(figureName(r.Key, "numbers"), numbers.Title, numbers); err != nil {
			return err
		}
	}
	for i, out := range r.Outcomes {
		if len(out.Page.Panels) == 0 {
			continue
		}
		x := r.Experiments[i]
		name := figureName(r.Key, x.Name)
		words, ok := d.words[name]
		if !ok {
			return fmt.Errorf("figures.csv has no words for %s", name)
		}
		delete(d.words, name)
		fmt.Fprintf(d, "\n### %s: %s\n\nIn the paper: %s. Here: %s.\n\n%s.\n", place(x.Name), x.Title,
			words[0], words[1], papers.Summary(out.Rows))
		if err := d.draw(name, x.Title, out.Page); err != nil {
			return err
		}
	}
	return nil
}

// draw adds a figure and shows it.
func (d *document) draw(name, title string, page plot.Page) error {
	svg, err := page.SVG()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	d.figures = append(d.figures, Figure{name, svg})
	fmt.Fprintf(d, "\n![%s](figures/%s.svg)\n", title, name)
	return nil
}

// place is the name of an experiment as a paper writes it: figure5 is Figure 5.
func place(name string) string {
	at := strings.IndexFunc(name, unicode.IsDigit)
	if at < 1 {
		return name
	}
	return strings.ToUpper(name[:1]) + name[1:at] + " " + name[at:]
}
