package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"
)

// table writes rows whose columns stand below each other.
type table struct{ out *tabwriter.Writer }

func newTable(w *bytes.Buffer, titles ...string) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.row(titles...)
	return t
}

func (t table) row(cells ...string) { fmt.Fprintln(t.out, strings.Join(cells, "\t")) }

// end writes what the table holds.
func (t table) end() { t.out.Flush() } // into a buffer, which takes everything
