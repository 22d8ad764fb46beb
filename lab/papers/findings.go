package papers

import "fmt"

// Findings collects the outcome of one experiment.
type Findings struct{ Outcome }

// Enforce adds a statement that has to hold.
func (f *Findings) Enforce(r Row) { f.add(r, Enforced) }

// Gap adds a statement that is known not to hold.
func (f *Findings) Gap(r Row) { f.add(r, KnownGap) }

func (f *Findings) add(r Row, status string) {
	r.Status = status
	f.Rows = append(f.Rows, r)
}

// Table adds a table.
func (f *Findings) Table(t Table) { f.Tables = append(f.Tables, t) }

// Cells prints numbers for a row of a table.
func Cells(values ...any) []string {
	row := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case float64:
			row[i] = Number(v).String()
		default:
			row[i] = fmt.Sprint(v)
		}
	}
	return row
}

// Thousands prints a number with commas.
func Thousands(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

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
