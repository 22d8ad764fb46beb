package emit

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// rowForms names implementations in RowForm.
var rowForms = map[impl.Spec]string{{}: "naive", {Reduction: impl.Runs}: "runs", {Algorithm: impl.Hot}: "hot",
	{Algorithm: impl.Sort}: "sort"}

// noRows is the reason for which the headers have no such call that updates rows, "" where they have it.
func (c *Call) noRows() string {
	switch {
	case c.Implementation.ValidateWide() != nil:
		return "the headers do not have this form for rows"
	case c.Call.Op != device.Add && !c.Call.Keeps:
		return "extremes are those of existing values (--clear=false)"
	}
	return ""
}

// rows is a call that updates rows, which clears the targets itself.
func (c *Call) rows() code {
	call := func(memory string) string {
		return fmt.Sprintf("scatter_%s_rows(%s, bytes, A, %d, index, values, n, %d, nullptr, options);", c.Call.Op,
			memory, c.Bins, c.Call.Width)
	}
	r := code{header: "atomtune_rows_update.cuh",
		memory: []array{{"memory", byteType, "bytes"}},
		lines:  []string{call("memory")}}
	options := "options.form = RowForm::" + rowForms[c.Implementation.Kind()]
	if c.Implementation.Slots > 0 {
		options += fmt.Sprintf(", options.slots = %d", c.Implementation.Slots)
	}
	if !c.Call.Keeps {
		options += ", options.clear = true"
	}
	if c.Ignore != nil {
		options += fmt.Sprintf(", options.has_ignore = true, options.ignore = %d", *c.Ignore)
	}
	r.before = []string{"RowOptions options;", options + ";", "size_t bytes = 0;", call("nullptr")}
	return r
}
