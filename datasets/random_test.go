package datasets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
)

// openRandom opens a file for reading at any place; what is nil cannot be read so.
func openRandom(t *testing.T, path string, opt Options) *Random {
	t.Helper()
	r, err := Open(path, opt)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r.random()
}

// TestRandom: at any place are the updates that reading in order gives.
func TestRandom(t *testing.T) {
	values := make([]uint32, 3000)
	for i := range values {
		values[i] = uint32(i*i) % 1019
	}
	wide := make([]int64, len(values))
	for i, v := range values {
		wide[i] = int64(v)
	}
	wide[7] = -1
	u32 := packed(t, binary.LittleEndian, values)
	i64 := packed(t, binary.LittleEndian, wide)
	tensors := `{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},` +
		`"b":{"dtype":"U32","shape":[3000],"data_offsets":[2,12002]}}`
	safe := string(binary.LittleEndian.AppendUint64(nil, uint64(len(tensors)))) + tensors + "xy" + u32
	for _, c := range []struct {
		name, content string
		opt           Options
	}{
		{"a.u32", u32, Options{}},
		{"ignored.u32", u32, Options{Ignore: "5"}},
		{"a.u64", packed(t, binary.LittleEndian, []uint64{4, 5, 6, math.MaxUint32}), Options{}},
		{"padded.npy", npyFile(1, "'<i8'", "False", "(3000,)", i64), Options{Ignore: "-1"}},
		{"u4.npy", npyFile(1, "'<u4'", "False", "(3000,)", u32), Options{}},
		{"big.npy", npyFile(2, "'>u4'", "False", "(3000,)", packed(t, binary.BigEndian, values)), Options{}},
		{"image.npy", npyFile(1, "'<u4'", "False", "(30, 100)", u32), Options{}},
		{"row.npy", npyFile(1, "'<u4'", "False", "(3, 1000)", u32), Options{Row: "1"}},
		{"col.npy", npyFile(1, "'<u4'", "True", "(1000, 3)", u32), Options{Column: "2"}},
		{"odd.safetensors", safe, Options{Array: "b"}}, // not where words begin
	} {
		path := write(t, c.name, c.content)
		want, _, err := ReadAll(path, c.opt)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		r := openRandom(t, path, c.opt)
		if r == nil || r.Len() != len(want) {
			t.Errorf("%s cannot be read at any place, or as another length", c.name)
			continue
		}
		for _, at := range []int{0, 1, len(want) / 2, len(want) - 1} {
			got := make([]uint32, len(want)-at)
			if err := r.Read(got, at); err != nil || !slices.Equal(got, want[at:]) {
				t.Errorf("%s from %d: other updates, %v", c.name, at, err)
			}
		}
	}
}

// TestNotRandom: what is compressed, is text, has keys or stands apart is read in order alone.
func TestNotRandom(t *testing.T) {
	u32 := packed(t, binary.LittleEndian, []uint32{1, 2, 3, 4, 5, 6})
	for _, c := range []struct {
		name, content string
		opt           Options
	}{
		{"a.u32.gz", zip(t, u32), Options{}}, {"a.txt", "1\n2\n", Options{}}, {"keys.u32", u32, Options{Keys: true}},
		{"col.npy", npyFile(1, "'<u4'", "False", "(3, 2)", u32), Options{Column: "0"}},
		{"fortran.npy", npyFile(1, "'<u4'", "True", "(1, 2, 3)", u32), Options{}},
		{"a.npy.gz", zip(t, npyFile(1, "'<u4'", "False", "(6,)", u32)), Options{}},
	} {
		if r := openRandom(t, write(t, c.name, c.content), c.opt); r != nil {
			t.Errorf("%s can be read at any place", c.name)
		}
	}
	piped := must.Get(Open("-", Options{Format: "u32", Stdin: strings.NewReader(u32)}))(t)
	if piped.random() != nil {
		t.Error("a pipe can be read at any place")
	}
}

// TestRandomFaults: an index out of range is named with its update, and a file that is cut off while it
// is read is an error.
func TestRandomFaults(t *testing.T) {
	path := write(t, "a.u64", packed(t, binary.LittleEndian, []uint64{1, 2, 1 << 32, 3}))
	r := openRandom(t, path, Options{})
	var into [2]uint32
	err := r.Read(into[:], 1)
	if !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), fmt.Sprintf("%s: update 2: ", path)) {
		t.Errorf("%v", err)
	}
	if err := r.Read(into[:], 0); err != nil || into != [2]uint32{1, 2} {
		t.Errorf("%v, %v", into, err)
	}
	path = write(t, "b.u32", strings.Repeat("\x01\x00\x00\x00", 1<<16))
	r = openRandom(t, path, Options{})
	must.Do(t, os.Truncate(path, 4))
	err = r.Read(into[:], 1<<15)
	if !errors.Is(err, ErrTruncated) || !strings.Contains(err.Error(), path) {
		t.Errorf("read: %v", err)
	}
}
