package papers

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/lab/plot"
)

// Experiment is one figure or section of a paper.
type Experiment struct {
	Name  string // such as figure5 or section2.2
	Title string
	Make  func(context.Context, Options) (Outcome, error) // with complete options

	paper      string
	statements statements
}

// Outcome is what an experiment finds.
type Outcome struct {
	Rows   []Row
	Tables []Table
	Page   plot.Page // without panels where there is nothing to draw
}

// Table holds the numbers behind rows and figure.
type Table struct {
	Name    string     `json:"name"` // of a file, without its ending
	Title   string     `json:"title"`
	Columns []string   `json:"columns"` // each with its unit, if it has one
	Cells   [][]string `json:"cells"`
}

// NewTable returns a table without rows; the names of its columns are parted by "|".
func NewTable(name, title, columns string) Table {
	return Table{Name: name, Title: title, Columns: strings.Split(columns, "|")}
}

// Add adds a row.
func (t *Table) Add(values ...any) { t.Cells = append(t.Cells, Cells(values...)) }

// Run makes the experiment. The same options give the same outcome, whatever
// their Cores. Errors wrap ErrOptions, or are those of ctx.
func (e Experiment) Run(ctx context.Context, o Options) (Outcome, error) {
	o, err := o.Complete()
	if err != nil {
		return Outcome{}, err
	}
	if err := ctx.Err(); err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", e.Name, err)
	}
	tell, last := o.Progress, 1.0
	o.Progress = func(done, total float64) {
		last = total
		tell(done, total)
	}
	out, err := e.Make(ctx, o)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", e.Name, err)
	}
	if err := e.statements.complete(out.Rows); err != nil {
		return Outcome{}, fmt.Errorf("%s %s: %w", e.paper, e.Name, err)
	}
	tell(last, last)
	return out, nil
}

// CSV writes the table with its columns as header.
func (t Table) CSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	// A buffer takes whatever is written.
	_ = w.Write(t.Columns)
	_ = w.WriteAll(t.Cells)
	return b.Bytes()
}
