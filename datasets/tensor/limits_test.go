package tensor

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// A few bytes of a pickle name one tensor many times: neither long names nor long shapes multiply.
func TestRepeatedTensors(t *testing.T) {
	tensor := func(dimensions int) string {
		numbers := "(" + strings.Repeat("K\x01", dimensions) + "t"
		return "ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nLongStorage\n" +
			"X\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x02tQK\x00" + numbers + numbers + "\x89tR"
	}
	list := func(dimensions, times int) string {
		return "](" + tensor(dimensions) + "r\x00\x00\x00\x00" + strings.Repeat("h\x00", times) + "e"
	}
	const million = "\x00\x00\x10\x00" // 2^20, the length of a key
	for _, c := range []struct {
		name, text string
		fits       bool
	}{
		{"few", list(1, 100), true},
		{"long shapes", list(mostDimensions, 20_000), false},
		{"short shapes", list(1, 20_000), true},
		{"long names", "}X" + million + strings.Repeat("k", 1<<20) + list(1, 100) + "s", false},
		{"a long name", "}X" + million + strings.Repeat("k", 1<<20) + list(1, 10) + "s", true},
	} {
		arrays, err := ParseTorch([]byte("\x80\x02"+c.text+"."), false)
		if c.fits != (err == nil) || !c.fits && !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: %d arrays, %v", c.name, len(arrays), err)
		}
	}
}

// An array has no more dimensions than NumPy and PyTorch allow.
func TestDimensions(t *testing.T) {
	for n, fits := range map[int]bool{mostDimensions: true, mostDimensions + 1: false} {
		shape := strings.TrimSuffix(strings.Repeat("1,", n), ",")
		_, err := parseNPY([]byte("{'descr': '|u1', 'fortran_order': False, 'shape': (" + shape + "), }"))
		if fits != (err == nil) {
			t.Errorf("npy of %d dimensions: %v", n, err)
		}
		_, err = parseSafetensors([]byte(`{"a":{"dtype":"U8","shape":[` + shape + `],"data_offsets":[0,1]}}`))
		if fits != (err == nil) || !fits && len(err.Error()) > 200 {
			t.Errorf("safetensors of %d dimensions: %v", n, err)
		}
	}
}

// TestHeaderBounds: the longest headers and the farthest bytes are taken, those by one longer or farther are not.
func TestHeaderBounds(t *testing.T) {
	long := func(n uint64, rest string) string { return string(binary.LittleEndian.AppendUint64(nil, n)) + rest }
	for text, want := range map[string]bool{
		long(32<<20, "{\""): true, long(32<<20+1, "{\""): false, long(2, "{}"): true,
		long(0, "{ "): true, long(2, "{x"): false, long(2, "[]"): false, long(2, "{"): false, "": false,
	} {
		if got := IsSafetensors([]byte(text)); got != want {
			t.Errorf("%q is safetensors: %t", text, got)
		}
	}
	safe := func(text string) error {
		_, start, err := ReadSafetensors(strings.NewReader(long(uint64(len(text)), text)))
		if err == nil && start != int64(8+len(text)) {
			t.Errorf("%s: %d bytes were read", text, start)
		}
		return err
	}
	npy := func(version string, header int) error {
		text := "{'descr': '|u1', 'fortran_order': False, 'shape': (7,), }"
		text += strings.Repeat(" ", header-len(text))
		prefix := NPYMagic + version + string(binary.LittleEndian.AppendUint32(nil, uint32(header)))
		a, start, err := ReadNPY(strings.NewReader(prefix + text))
		if err == nil && (start != int64(12+header) || a.Count() != 7) {
			t.Errorf("npy of a header of %d bytes: %d bytes were read, %v", header, start, a)
		}
		return err
	}
	torch := func(start, count, stride string) error {
		_, err := ParseTorch([]byte("\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nLongStorage\n"+
			"X\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x09tQ"+start+count+"\x85"+stride+"\x85\x89tR."), false)
		return err
	}
	_, _, longer := ReadSafetensors(strings.NewReader(long(32<<20+1, "{}")))
	_, _, cut := ReadSafetensors(strings.NewReader(long(32<<20, "{}")))
	for _, c := range []struct {
		name      string
		err, want error
	}{
		{"a longer safetensors header", longer, ErrUnsupported},
		{"one that is cut off", cut, ErrTruncated},
		{"no bytes", safe(`{"a":{"dtype":"I64","shape":[0],"data_offsets":[3,3]}}`), nil},
		{"bytes that end before they begin", safe(`{"a":{"dtype":"I64","shape":[0],"data_offsets":[3,2]}}`), ErrMalformed},
		{"a byte too many", safe(`{"a":{"dtype":"I16","shape":[2,3],"data_offsets":[3,16]}}`), ErrMalformed},
		{"as many bytes as elements have", safe(`{"a":{"dtype":"I16","shape":[2,3],"data_offsets":[3,15]}}`), nil},
		{"the last byte", safe(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[4611686018427387903,4611686018427387904]}}`), nil},
		{"beyond it", safe(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[4611686018427387904,4611686018427387905]}}`), ErrMalformed},
		{"the longest npy header", npy("\x02\x00", 64<<10), nil},
		{"a longer one", npy("\x02\x00", 64<<10+1), ErrMalformed},
		{"npy 3.0", npy("\x03\x00", 100), nil},
		{"npy 4.0", npy("\x04\x00", 100), ErrUnsupported},
		{"npy 0.0", npy("\x00\x00", 100), ErrUnsupported},
		{"npy 2.1", npy("\x02\x01", 100), ErrUnsupported},
		{"all of a storage", torch("K\x00", "K\x09", "K\x01"), nil},
		{"more than it", torch("K\x01", "K\x09", "K\x01"), ErrMalformed},
		{"its first and last element", torch("K\x00", "K\x02", "K\x08"), nil},
		{"one that is not there", torch("K\x01", "K\x02", "K\x08"), ErrMalformed},
		{"its last element", torch("K\x08", "K\x01", "K\xff"), nil},
		{"no offset", torch("N", "K\x01", "K\x01"), ErrMalformed},
		{"no shape", torch("K\x00", "N", "K\x01"), ErrMalformed},
		{"a negative one", torch("K\x00", "J\xff\xff\xff\xff", "K\x01"), ErrMalformed},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.err, c.want)
		}
	}
}

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
