package datasets

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Keys number elements of 64 bits, and what is ignored is found among floats as among integers.
func TestKeysAndPaddingOfArrays(t *testing.T) {
	le := binary.LittleEndian
	long := npyFile(1, "'<i8'", "True", "(2, 3)", packed(t, le, []int64{1 << 40, 7, -1, 8, 1 << 40, 9}))
	floats := npyFile(1, "'<f8'", "False", "(4,)", packed(t, le, []float64{3, -1, 0, -1}))
	halves := npyFile(1, "'<f2'", "False", "(2,)", packed(t, le, []uint16{0xbc00, 0x4000}))
	for _, c := range []struct {
		name, content string
		opt           Options
		want          []uint32
	}{
		{"a.npy", long, Options{Row: "0", Keys: true}, []uint32{0, 1, 0}},
		{"b.npy", long, Options{Row: "0", Keys: true, Ignore: "-1"}, []uint32{0, Inactive, 0}},
		{"c.npy", floats, Options{Ignore: "-1"}, []uint32{3, Inactive, 0, Inactive}},
		{"d.npy", halves, Options{Ignore: "-1"}, []uint32{Inactive, 2}},
	} {
		got, _, err := ReadAll(write(t, c.name, c.content), c.opt)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, diff)
		}
	}
	got, _, err := ReadAll(arrayFile("tensor.pt"), Options{Keys: true})
	if diff := cmp.Diff([]uint32{0, 1, 0}, got); err != nil || diff != "" {
		t.Errorf("tensor.pt: %v (-want +got):\n%s", err, diff)
	}
	checkFaults(t, []fault{{"nan.npy", npyFile(1, "'<f4'", "False", "(1,)", packed(t, le,
		[]float32{float32(math.NaN())})), Options{Ignore: "-1"}, ErrUnsupported,
		"FILE: update 0: NaN is no whole number"}})
}
