package bench

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzDecode: any text is a table of times above 0, or an error that names it.
func FuzzDecode(f *testing.F) {
	f.Add(table(made[0]))
	f.Add([]byte("# gpu: G\n" + strings.Join(columns, ",") + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r *Run
		var err error
		// Few bytes of a row are a case with a map.
		rows := strings.Count(string(data), "\n")
		allocation.BoundBeyond(t, len(data), rows<<11, func() { r, err = decode("b.csv", data) })
		if err != nil {
			if !errors.Is(err, ErrRun) || !strings.Contains(err.Error(), "b.csv") {
				t.Error(err)
			}
			return
		}
		for _, c := range r.Cases {
			for place, v := range c.Times {
				if !(v.MinUS <= v.US && v.US <= v.MaxUS && v.US > 0) {
					t.Errorf("%v: %+v", place, v)
				}
			}
		}
	})
}
