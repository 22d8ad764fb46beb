package parquet

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzMetadata: any bytes are headers, schemas and chunks, or malformed.
func FuzzMetadata(f *testing.F) {
	f.Add([]byte{0x15, 0, 0x15, 8, 0x15, 8, 0x2c, 0x15, 2, 0x15, 0, 0, 0}, uint8(0))
	f.Add([]byte{0x2c, 0x48, 1, 'a', 0x15, 2, 0, 0x15, 2, 0x38, 1, 'b', 0}, uint8(1))
	f.Add([]byte{0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f}, uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, way uint8) {
		r := &thrift{}
		allocation.Bound(t, len(data), func() {
			*r = thrift{data: data}
			switch way % 3 {
			case 0:
				readHeader(r)
			case 1:
				readSchema(r)
			case 2:
				readChunks(r, 0)
			}
		})
		if r.err != nil && r.err != errThrift && r.err != errShort {
			t.Error(r.err)
		}
	})
}

// FuzzValues: any bytes are values in each encoding, or too few.
func FuzzValues(f *testing.F) {
	for way := range uint8(6) {
		f.Add([]byte{2, 3, 1, 0x88, 0xc6, 0xfa}, way)
		f.Add([]byte{0x80, 1, 4, 8, 2, 1, 0, 0, 0, 0, 1, 2, 3}, way)
	}
	f.Fuzz(func(t *testing.T, data []byte, way uint8) {
		allocation.Bound(t, len(data), func() {
			var v values
			var err error
			switch way % 6 {
			case 0:
				v = &plain{data, 4}
			case 1:
				v = &split{data: data, size: 8}
			case 2:
				v, err = newDelta(data)
			case 3:
				v, err = newDictionary([]byte{7, 0, 0, 0, 8, 0, 0, 0}, 4, data)
			default:
				v = &hybrid{data: data, width: int(way) % 33}
			}
			for i := 0; i < 1<<12 && err == nil; i++ {
				_, err = v.next()
			}
			if err != nil && !errors.Is(err, errPage) {
				t.Error(err)
			}
		})
	})
}
