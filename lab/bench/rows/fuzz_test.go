package rows

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzDecode: any text is a table of times above 0, or an error that names it.
func FuzzDecode(f *testing.F) {
	const c = `"a",100,50,10,60,bf16,8,`
	f.Add(made(c+"torch.index_add_,0,40,40,40,3,7", c+"hot,4,5,5,5,10,0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r *Run
		var err error
		// Few bytes of a row are a case with maps.
		rows := strings.Count(string(data), "\n")
		allocation.BoundBeyond(t, len(data), rows<<12, func() { r, err = decode("r.csv", data) })
		if err != nil {
			if !errors.Is(err, ErrRun) || !strings.Contains(err.Error(), "r.csv") {
				t.Error(err)
			}
			return
		}
		for i := range r.Cases {
			for form, us := range r.Cases[i].US {
				if !(us > 0) {
					t.Errorf("%v: %v us", form, us)
				}
			}
			r.Cases[i].bestUS()
		}
	})
}

// FuzzSimulated: any text is a table of simulated times, or an error that names it.
func FuzzSimulated(f *testing.F) {
	f.Add([]byte(strings.Join(simulatedColumns, ",") + "\na,f32,8,hot,4,2.5\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Simulated
		var err error
		rows := strings.Count(string(data), "\n")
		allocation.BoundBeyond(t, len(data), rows<<10, func() { s, err = decodeSimulated("s.csv", data) })
		if err != nil && !strings.Contains(err.Error(), "s.csv:") {
			t.Error(err)
		}
		for c, us := range s {
			if !(us > 0) {
				t.Errorf("%v: %v us", c, us)
			}
		}
	})
}
