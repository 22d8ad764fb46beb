package papers

import (
	"fmt"

	"github.com/atomtune/atomtune/internal/visible"
)

// Findings collects the outcome of one experiment.
type Findings struct{ Outcome }

// State adds what is found of a statement, which is in the paper's table of statements, and
// whether it holds. Ours is a Value, a number, a text, or numbers of which the interval is
// told. The reason is formatted with args where there are any.
func (f *Findings) State(item string, ours any, holds bool, args ...any) *Row {
	f.Rows = append(f.Rows, Row{Item: item, Ours: valueOf(ours), Holds: holds, args: args})
	return &f.Rows[len(f.Rows)-1]
}

// StateNumber is State for a statement that gives a number: the one that holds compares with.
func (f *Findings) StateNumber(item string, paper float64, ours any, holds bool, args ...any) {
	f.State(item, ours, holds, args...).PaperValue = Number(paper)
}

// StateLimit is StateNumber for a number that ours may stay below.
func (f *Findings) StateLimit(item string, paper float64, ours any, holds bool, args ...any) {
	f.StateNumber(item, paper, ours, holds, args...)
	f.Rows[len(f.Rows)-1].limit = true
}

// Table adds a table.
func (f *Findings) Table(t Table) { f.Tables = append(f.Tables, t) }

// Cells prints numbers for a row of a table.
func Cells(values ...any) []string {
	return List(len(values), func(i int) string {
		if v, ok := values[i].(float64); ok {
			return Number(v).String()
		}
		return fmt.Sprint(values[i])
	})
}

// Thousands prints a number with commas.
func Thousands(n int) string { return visible.Count(uint64(n)) }

// Within reports whether ours is the paper's value up to the factor.
func Within(ours, paper, factor float64) bool {
	return ours > 0 && ours <= paper*factor && paper <= ours*factor
}

// One is 1 for true and 0 for false.
func One(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// List returns what of gives for 0 to n-1.
func List[V any](n int, of func(i int) V) []V {
	all := make([]V, n)
	for i := range all {
		all[i] = of(i)
	}
	return all
}

// Rises reports whether there are values, each more than the one before.
func Rises(values []float64) bool {
	for i := 1; i < len(values); i++ {
		if values[i] <= values[i-1] {
			return false
		}
	}
	return len(values) > 1
}

// Falls reports whether there are values, each less than the one before.
func Falls(values []float64) bool {
	return Rises(List(len(values), func(i int) float64 { return -values[i] }))
}
