package tensor

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzHeaders: a header is arrays that pass their own check, or an error of one line that wraps a
// sentinel.
func FuzzHeaders(f *testing.F) {
	npy := "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 4), }"
	f.Add([]byte(NPYMagic + "\x01\x00" + string([]byte{byte(len(npy)), 0}) + npy))
	f.Add([]byte(NPYMagic + "\x02\x00\xff\xff\x00\x00" + npy))
	safe := `{"a":{"dtype":"I32","shape":[2],"data_offsets":[0,8]},"__metadata__":{"x":"y"}}`
	f.Add(append(binary.LittleEndian.AppendUint64(nil, uint64(len(safe))), safe...))
	f.Add(append(binary.LittleEndian.AppendUint64(nil, 1<<25), safe...))
	f.Add([]byte("\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nLongStorage\n" +
		"X\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x02tQK\x00K\x02\x85K\x01\x85\x89tR."))
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, read := range map[string]func() ([]Array, error){
			"npy": func() ([]Array, error) {
				a, _, err := ReadNPY(bytes.NewReader(data))
				return []Array{a}, err
			},
			"safetensors": func() ([]Array, error) {
				list, _, err := ReadSafetensors(bytes.NewReader(data))
				return list, err
			},
			"torch":     func() ([]Array, error) { return ParseTorch(data, false) },
			"big torch": func() ([]Array, error) { return ParseTorch(data, true) },
		} {
			var list []Array
			var err error
			allocation.Bound(t, len(data), func() { list, err = read() })
			if err != nil {
				if !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrUnsupported) &&
					!errors.Is(err, ErrTruncated) || strings.ContainsAny(err.Error(), "\n\r") {
					t.Errorf("%s: %q", name, err)
				}
				continue
			}
			for _, a := range list {
				if err := a.Check(); err != nil {
					t.Errorf("%s: %+v: %v", name, a, err)
				}
			}
		}
	})
}
