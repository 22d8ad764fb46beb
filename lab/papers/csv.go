package papers

import (
	"bytes"
	"encoding/csv"
)

// CSV writes the table with its columns as header.
func (t Table) CSV() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	// A buffer takes whatever is written.
	_ = w.Write(t.Columns)
	_ = w.WriteAll(t.Cells)
	return b.Bytes()
}
