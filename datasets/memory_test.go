package datasets

import (
	"encoding/binary"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/must"
)

// repeat is a reader of left bytes that says one piece again and again, cut at
// the end of a piece.
type repeat struct {
	piece []byte
	left  int
	at    int
}

func (r *repeat) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if r.at == 0 && r.left < len(r.piece) {
			break
		}
		m := copy(p[n:], r.piece[r.at:])
		n += m
		r.left -= m
		r.at = (r.at + m) % len(r.piece)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// heapPeak opens a stream, reads it in chunks and returns the number of updates and the
// highest growth of the live and unswept heap in bytes.
func heapPeak(t *testing.T, open func() (*Reader, error)) (updates int, growth uint64) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	before, peak := stats.HeapAlloc, stats.HeapAlloc
	r := must.Get(open())(t)
	buf := make([]uint32, 1<<14)
	for chunk := 0; ; chunk++ {
		n, err := r.Next(buf)
		updates += n
		if chunk%64 == 0 {
			runtime.ReadMemStats(&stats)
			peak = max(peak, stats.HeapAlloc)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	must.Do(t, r.Close())
	return updates, peak - before
}

// Reading holds a few buffers, however long the stream.
func TestMemoryStaysSmall(t *testing.T) {
	const total = 8 << 20
	image := "P5 4096 2048 255\n"
	cases := []struct {
		name string
		opt  Options
		head string
		data string
		want int
	}{
		{"u32", Options{Format: "u32"}, "", "\x01\x00\x00\x00\x02\x00\x00\x00", total / 4},
		{"u64", Options{Format: "u64"}, "", "\x01\x00\x00\x00\x00\x00\x00\x00", total / 8},
		{"npy", Options{}, npyFile(2, "'<i2'", "False", "(4194304,)", ""), "\x01\x00",
			total / 2},
		{"text", Options{}, "", "1234567\n", total / 8},
		{"csv", Options{Format: "csv", Column: "0"}, "", "123,\"x\"\n", total / 8},
		{"edges", Options{Axis: AxisCol}, "", "123 567\n", total / 8},
		{"edges sorted", Options{Order: OrderRow}, "", "123 567\n", total / 8},
		{"pgm", Options{}, image, "\x07", total},
		{"a column in C order", Options{Column: "1"}, npyFile(2, "'<i2'", "False", "(2097152, 2)", ""), "\x01\x00",
			total / 4},
		{"a column in Fortran order", Options{Column: "1"}, npyFile(2, "'<i2'", "True", "(2097152, 2)", ""),
			"\x01\x00", total / 4},
		{"a row in Fortran order", Options{Row: "7"}, npyFile(2, "'<i2'", "True", "(2097152, 2)", ""), "\x01\x00", 2},
	}
	const allowed = 4 << 20
	for _, c := range cases {
		c.opt.Stdin = io.MultiReader(strings.NewReader(c.head),
			&repeat{piece: []byte(c.data), left: total})
		updates, growth := heapPeak(t, func() (*Reader, error) { return Open("-", c.opt) })
		if updates != c.want {
			t.Errorf("%s: %d updates, want %d", c.name, updates, c.want)
		}
		if growth > allowed {
			t.Errorf("%s: the heap grew by %d bytes, allowed %d", c.name, growth, allowed)
		}
	}
}

// The entries of more than two runs are sorted through the temporary file in the memory of two
// runs and the buffers of the merge. By default the runs are short.
func TestMemoryOfSortedEntries(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	run := runEntries / 16
	if golden.Full() {
		run = runEntries
	}
	entries := 5 * run / 2
	piece := strings.Repeat("7 3\n3 7\n2 5\n9 1\n", 1<<10)
	opt := Options{Axis: AxisCol, Order: OrderRow,
		Stdin: &repeat{piece: []byte(piece), left: entries * 4}}
	updates, growth := heapPeak(t, func() (*Reader, error) {
		r, err := Open("-", opt)
		if err == nil {
			r.dec.(*merged).run = run
		}
		return r, err
	})
	if updates != entries {
		t.Errorf("%d updates, want %d", updates, entries)
	}
	if allowed := 48 * uint64(run); growth > allowed {
		t.Errorf("the heap grew by %d bytes, allowed %d", growth, allowed)
	}
}

// promising are short files whose headers promise far more than they hold.
func promising(t *testing.T) map[string]string {
	safetensors := func(header string) string {
		return string(binary.LittleEndian.AppendUint64(nil, uint64(len(header)))) + header
	}
	return map[string]string{
		"array.npy":   npyFile(2, "'<i8'", "False", "(1152921504606846975,)", "ab"),
		"fortran.npy": npyFile(2, "'|u1'", "True", "(4096, 16384)", "ab"),
		"header.npy":  "\x93NUMPY\x02\x00\xff\xff\x00\x00",
		"array.safetensors": safetensors(
			`{"x":{"dtype":"I64","shape":[536870912],"data_offsets":[0,4294967296]}}`),
		"header.safetensors": "\x00\x00\x00\x01\x00\x00\x00\x00{",
		"long.safetensors":   "\x00\x00\x00\x00\x00\x00\x00\x10{",
		"tensor.pt":          torchFile(t, 1<<56, 0, []int64{1 << 56}, []int64{1}, "abcdefgh"),
		"pickle.pt":          rezip(t, emptyZip, "a/data.pkl", "\x80\x02X\xff\xff\xff\xff"),
	}
}

// torchFile is a file of torch.save with a tensor of 8 bytes an element, in a storage of so many.
func torchFile(t testing.TB, elements, start int64, shape, strides []int64, storage string) string {
	number := func(n int64) string { return "\x8a\x08" + string(binary.LittleEndian.AppendUint64(nil, uint64(n))) }
	tuple := func(numbers []int64) string {
		text := "("
		for _, n := range numbers {
			text += number(n)
		}
		return text + "t"
	}
	tensor := "\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" +
		"(X\x07\x00\x00\x00storagectorch\nLongStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpu" +
		number(elements) + "tQ" + number(start) + tuple(shape) + tuple(strides) + "\x89NtR."
	return rezip(t, rezip(t, emptyZip, "a/data.pkl", tensor), "a/data/0", storage)
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
