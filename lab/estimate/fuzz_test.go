package estimate

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzFigures: any text is figures whose documents are listed, or an error that wraps ErrFigures.
func FuzzFigures(f *testing.F) {
	f.Add([]byte(`{"documents":{"d":"D"},"groups":{},"devices":[{"name":"x","dram_bytes_per_second":` +
		`{"value":1e12,"document":"d","where":"p. 1","rationale":"r"}}]}`))
	f.Add([]byte(`{"devices":[{"name":"x","groups":["y"]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var file *File
		var err error
		allocation.Bound(t, len(data), func() {
			file = new(File)
			err = file.Add(data)
		})
		if err != nil {
			if !errors.Is(err, ErrFigures) {
				t.Error(err)
			}
			return
		}
		for i := range file.Devices {
			if v, err := file.Devices[i].DRAMRate.number(); err != nil || !(v > 0) {
				t.Errorf("%s: %v, %v", file.Devices[i].Name, v, err)
			}
		}
	})
}
