package emit

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/cuda"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
)

// TestRows: what the lines and the program of a call that adds rows name, the headers have.
func TestRows(t *testing.T) {
	headers := ""
	for _, name := range []string{"atomtune_rows_call.cuh", "atomtune_choice.cuh"} {
		headers += string(must.Get(fs.ReadFile(cuda.Headers, name))(t))
	}
	ignore := int64(-1)
	spec := must.Get(synth.Parse("uniform:n=513,k=136"))(t)
	for _, v := range append(impl.Wide(), impl.Spec{Algorithm: impl.Hot}) {
		for _, keeps := range []bool{false, true} {
			c := Call{Implementation: v, Call: device.Call{Type: device.F32, Values: device.BF16, Width: 64, Keeps: keeps}, Bins: 136,
				Ignore: &ignore}
			code := strings.Join(must.Get(c.Lines())(t), "\n")
			if strings.Contains(code, "options.slots = ") != (v.Slots > 0) ||
				strings.Contains(code, "options.clear = true") == keeps ||
				!strings.Contains(code, "options.has_ignore = true, options.ignore = -1;") ||
				strings.Count(code, "scatter_add_rows(") != 2 || strings.Count(code, " 136, index, values, n, 64, ") != 2 {
				t.Errorf("%s, keeps %v:\n%s", v, keeps, code)
			}
			for _, part := range strings.Split(code, "options.")[1:] {
				name, value, member := strings.Cut(part, " = ")
				form, is := strings.CutPrefix(value, "RowForm::")
				form = form[:strings.IndexAny(form, ",;")]
				if member && !strings.Contains(headers, " "+name+" = ") || is && !strings.Contains(headers, "\n  "+form+",") {
					t.Errorf("options have no %s, or no form %s", name, form)
				}
			}
			c.Ignore = nil
			p := Program{Call: c, Stream: Stream{Name: "synth", Updates: 513, Synth: &spec}}
			text := must.Get(p.Source())(t)
			for _, want := range []string{"make_values<__nv_bfloat16>(n * 64)", "device_array<float>(8704)",
				"right_sums(to_host(A, 8704), host_index, value_of, 64)", `#include "atomtune_rows_update.cuh"`} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: no %s in\n%s", v, want, text)
				}
			}
		}
	}
	for _, c := range []device.Call{{Type: device.F32, Width: 4, Op: device.Min, Keeps: true}, {Type: device.BF16, Width: 4}} {
		p := Program{Call: Call{Call: c, Bins: 9}}
		if _, err := p.Source(); !errors.Is(err, ErrNone) {
			t.Errorf("a program of %s: %v", c.Words(), err)
		}
		if lines, err := p.Lines(); err != nil || len(lines) == 0 {
			t.Errorf("lines of %s: %v", c.Words(), err)
		}
	}
}
