package rowchoice

import (
	"fmt"
	"strconv"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/rows"
)

// Paste has the document hold the lines that call the choice on A, index and values of a stream that was
// read so: none where code cannot name the index that is no update.
func (d *Document) Paste(read datasets.Options) {
	ignore, err := strconv.ParseInt(read.Ignore, 10, 64)
	if d.Stream.Ignored > 0 && (err != nil || read.Keys) {
		return
	}
	best := d.Best()
	add := func(format string, args ...any) { d.Code = append(d.Code, fmt.Sprintf(format, args...)) }
	call := func(workspace string) {
		add("atomtune::scatter_add_rows(%s, bytes, A, %d, index, values, n, %d, stream, options);", workspace,
			d.Stream.Rows.Rows, d.Width)
	}
	add(`#include "atomtune_rows_update.cuh"`)
	add("atomtune::RowOptions options;")
	add("options.form = atomtune::RowForm::%s;", best.Form)
	if best.Form == rows.Hot {
		add("options.slots = %d;", best.Slots)
	}
	if d.Clear {
		add("options.clear = true;")
	}
	if d.Stream.Ignored > 0 {
		add("options.has_ignore = true, options.ignore = %d;", ignore)
	}
	add("size_t bytes = 0;")
	call("nullptr")
	add("cudaMalloc(&workspace, bytes);")
	call("workspace")
}
