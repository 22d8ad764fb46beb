package locks

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/gzipped"
)

// FuzzDecodeCorrections: any file is corrections by device, or an error that names it.
func FuzzDecodeCorrections(f *testing.F) {
	const text = `{"device":"gtx680","implementation":"private:r=8,pad=1","values":[0.5,-0.25]}` + "\n"
	packed, err := gzipped.Pack([]byte(text))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(text))
	f.Add(packed)
	f.Fuzz(func(t *testing.T, data []byte) {
		plain, _, _ := gzipped.Unpack(data, 1<<20)
		// Few bytes of a line are a map and what reads JSON.
		beyond := strings.Count(string(plain), "\n") << 12
		var err error
		allocation.BoundBeyond(t, max(len(data), len(plain)), beyond, func() {
			_, err = decodeCorrections("c.jsonl", data)
		})
		if err != nil && !strings.Contains(err.Error(), "c.jsonl:") {
			t.Error(err)
		}
	})
}
