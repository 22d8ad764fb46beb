package datasets

import (
	"encoding/binary"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

// A row, a column and steps through an array are read in blocks, however long it is.
func TestMemoryOfArrays(t *testing.T) {
	const total = 8 << 20
	shape := "(2097152, 2)"
	for _, c := range []struct {
		name, fortran string
		opt           Options
		want          int
	}{
		{"a column in C order", "False", Options{Column: "1"}, total / 4},
		{"a column in Fortran order", "True", Options{Column: "1"}, total / 4},
		{"a row in Fortran order", "True", Options{Row: "7"}, 2},
	} {
		c.opt.Stdin = io.MultiReader(strings.NewReader(npyFile(2, "'<i2'", c.fortran, shape, "")),
			&repeat{piece: []byte{1, 0}, left: total})
		updates, growth := heapPeak(t, func() (*Reader, error) { return Open("-", c.opt) })
		const allowed = 4 << 20
		if updates != c.want || growth > allowed {
			t.Errorf("%s: %d updates, want %d; the heap grew by %d bytes, allowed %d", c.name, updates,
				c.want, growth, allowed)
		}
	}
}

// promising are short files whose headers promise far more than they hold.
func promising(t *testing.T) map[string]string {
	safetensors := func(header string) string {
		return string(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))) + header
	}
	const tensor = "\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" +
		"(X\x07\x00\x00\x00storagectorch\nLongStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpu" +
		"\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x01tQK\x00\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x01\x85" +
		"K\x01\x85\x89NtR." // 2^56 elements
	return map[string]string{
		"array.npy":   npyFile(2, "'<i8'", "False", "(1152921504606846975,)", "ab"),
		"fortran.npy": npyFile(2, "'|u1'", "True", "(4096, 16384)", "ab"),
		"header.npy":  "\x93NUMPY\x02\x00\xff\xff\x00\x00",
		"array.safetensors": safetensors(
			`{"x":{"dtype":"I64","shape":[536870912],"data_offsets":[0,4294967296]}}`),
		"header.safetensors": "\x00\x00\x00\x01\x00\x00\x00\x00{",
		"long.safetensors":   "\x00\x00\x00\x00\x00\x00\x00\x10{",
		"tensor.pt":          rezip(t, rezip(t, emptyZip, "a/data.pkl", tensor), "a/data/0", "abcdefgh"),
		"pickle.pt":          rezip(t, emptyZip, "a/data.pkl", "\x80\x02X\xff\xff\xff\xff"),
	}
}

// emptyZip is an archive without entries.
const emptyZip = "PK\x05\x06" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// What a header promises is not allocated: each file fails by its length, from a pipe too.
func TestPromises(t *testing.T) {
	for name, content := range promising(t) {
		for _, path := range []string{write(t, name, content), "-"} {
			opt := Options{Format: formatOf(name), Stdin: strings.NewReader(content)}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := ReadAll(path, opt)
			runtime.ReadMemStats(&after)
			isFault(t, err)
			const allowed = 4 << 20
			if grown := after.TotalAlloc - before.TotalAlloc; grown > allowed {
				t.Errorf("%s of %d bytes: %d bytes were allocated, allowed %d", name, len(content), grown,
					allowed)
			}
		}
	}
}

// formatOf is the format of a name.
func formatOf(name string) string {
	return formatByName(&input{name: name}, name, Options{}).name
}

// The copy of a piped archive leaves nothing behind.
func TestTemporaryCopyIsRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	content := read(t, arrayFile("deflated.npz"))
	if _, err := readChunks(content, Options{}, 2); err != nil {
		t.Fatal(err)
	}
	if _, err := readChunks(content[:100], Options{Format: "npz"}, 2); err == nil {
		t.Error("half an archive was read")
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
