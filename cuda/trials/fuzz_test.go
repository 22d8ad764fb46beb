package trials

import (
	"bytes"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzDecode: any text is a run of times, or an error that names the file.
func FuzzDecode(f *testing.F) {
	head := "# GPU\n" + strings.Join(header, ",") + "\n"
	f.Add([]byte(head + Bare + ",stream,1,16,1000,10,5.00,0.00,2.00\n"))
	f.Add([]byte(head))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := Decode("r.csv", bytes.NewReader(text))
		allocation.Bound(t, len(text), func() { run, err = Decode("r.csv", bytes.NewReader(text)) })
		if err != nil {
			if !strings.Contains(err.Error(), "r.csv") {
				t.Error(err)
			}
			return
		}
		for _, r := range run.Rows {
			if !(r.Time > 0) || r.Kernels < 1 {
				t.Errorf("%+v", r)
			}
		}
	})
}
