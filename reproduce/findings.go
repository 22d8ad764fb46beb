package reproduce

import "fmt"

// claim is a statement of the paper and what was found.
type claim struct {
	item        string
	paper, ours Value
	unit        string
	reason      string
	holds       bool
}

// findings collects the outcome of one experiment.
type findings struct{ Outcome }

// enforce adds a statement that has to hold.
func (f *findings) enforce(c claim) { f.add(c, Enforced) }

// gap adds a statement that is known not to hold.
func (f *findings) gap(c claim) { f.add(c, KnownGap) }

func (f *findings) add(c claim, status string) {
	f.Rows = append(f.Rows, Row{
		Item: c.item, PaperValue: c.paper, Ours: c.ours, Unit: c.unit,
		Status: status, Reason: c.reason, holds: c.holds,
	})
}

// table adds a table.
func (f *findings) table(t Table) { f.Tables = append(f.Tables, t) }

// cells prints numbers for a row of a table.
func cells(values ...any) []string {
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

// thousands prints a number with commas.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
