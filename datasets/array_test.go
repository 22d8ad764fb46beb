package datasets

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// arrayCase is a file of testdata/arrays and the stream that it must give.
type arrayCase struct {
	file string
	opt  Options
	want []uint32
}

// arrayCases are arrays as NumPy and PyTorch write them; make.py beside them says how.
func arrayCases() []arrayCase {
	first, second := []uint32{0, 0, 1, 2, 4}, []uint32{3, 1, 1, 0, 9}
	image := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	cube := append(append([]uint32(nil), image...), 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
	return []arrayCase{
		{"edge_index.npy", Options{Axis: AxisRow}, first},
		{"edge_index.npy", Options{Axis: AxisCol}, second},
		{"edge_index.npy", Options{Row: "1"}, second},
		{"edge_index.npy", Options{Column: "4"}, []uint32{4, 9}},
		{"edge_index_fortran.npy", Options{Axis: AxisRow}, first},
		{"edge_index_fortran.npy", Options{Axis: AxisCol}, second},
		{"edge_index_fortran.npy", Options{Column: "3"}, []uint32{2, 0}},
		{"edge_pairs.npy", Options{Axis: AxisRow}, first},
		{"edge_pairs.npy", Options{Axis: AxisCol}, second},
		{"edge_pairs.npy", Options{Row: "4"}, []uint32{4, 9}},
		{"image.npy", Options{}, image},
		{"image_fortran.npy", Options{}, image},
		{"image_fortran.npy", Options{Row: "1"}, []uint32{4, 5, 6, 7}},
		{"image_fortran.npy", Options{Column: "1"}, []uint32{1, 5, 9}},
		{"cube_fortran.npy", Options{}, cube},
		{"whole_f2.npy", Options{}, []uint32{3, 0, 2048}},
		{"whole_f8.npy", Options{}, []uint32{3, 0, 4294967295}},
		{"graph.npz", Options{Array: "edge_index", Axis: AxisCol}, second},
		{"graph.npz", Options{Array: "batch"}, []uint32{0, 0, 1}},
		{"deflated.npz", Options{}, []uint32{7, 7, 7, 5}},
		{"deflated.npz", Options{Array: "keys"}, []uint32{7, 7, 7, 5}},
		{"tensor.pt", Options{}, []uint32{5, 3, 5}},
		{"graph.pt", Options{Array: "edge_index", Axis: AxisRow}, first},
		{"graph.pt", Options{Array: "transposed", Axis: AxisCol}, second},
		{"graph.pt", Options{Array: "transposed", Row: "3"}, []uint32{2, 0}},
		{"graph.pt", Options{Array: "steps"}, []uint32{1, 4, 7}},
		{"graph.pt", Options{Array: "expanded", Row: "1"}, []uint32{8, 8, 8}},
		{"graph.pt", Options{Array: "nested.half"}, []uint32{4, 2}},
		{"graph.pt", Options{Array: "nested.list.0"}, []uint32{1, 0}},
		{"graph.pt", Options{Array: "brain"}, []uint32{256, 3}},
		{"graph.pt", Options{Array: "3.0"}, []uint32{9}},
		{"graph.pt", Options{Array: "3.1"}, []uint32{8}},
		{"module.pt", Options{Array: "weight", Row: "1"}, []uint32{1, 1, 1}},
		{"graph.safetensors", Options{Array: "edge_index", Axis: AxisCol}, second},
		{"graph.safetensors", Options{Array: "batch"}, []uint32{0, 0, 1}},
		{"graph.safetensors", Options{Array: "whole"}, []uint32{2, 7}},
	}
}

// arrayFile is the path of a file that NumPy, PyTorch or the text of a format made.
func arrayFile(name string) string { return filepath.Join("testdata", "arrays", name) }

// Arrays read the same from a file, from a pipe, and compressed.
func TestArrays(t *testing.T) {
	for _, c := range arrayCases() {
		name := c.file + "," + c.opt.Array + "," + c.opt.Axis + c.opt.Row + c.opt.Column
		t.Run("file="+name, func(t *testing.T) {
			content := read(t, arrayFile(c.file))
			for _, path := range []string{arrayFile(c.file), write(t, c.file+".gz", zip(t, content))} {
				got, _, err := ReadAll(path, c.opt)
				if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
					t.Errorf("%v; indices (-want +got):\n%s", err, diff)
				}
			}
			for _, chunk := range []int{1, 3, 1000} {
				got, err := readChunks(content, c.opt, chunk)
				if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
					t.Errorf("chunks of %d: %v; indices (-want +got):\n%s", chunk, err, diff)
				}
			}
		})
	}
}

// A choice that is missing or wrong is told with what there is and the flag that helps.
func TestArrayFaults(t *testing.T) {
	faults := []fault{
		{"edge_index.npy", "", Options{}, ErrOptions, "FILE: has the shape (2, 5), two streams in one: " +
			"--axis row takes the first row, --axis col the second (for one stream of all, save it " +
			"with one dimension)"},
		{"edge_pairs.npy", "", Options{}, ErrOptions, "FILE: has the shape (5, 2), two streams in one: " +
			"--axis row takes the first column, --axis col the second (for one stream of all, save it " +
			"with one dimension)"},
		{"edge_index.npy", "", Options{Row: "2"}, ErrOptions,
			"FILE: has the shape (2, 5) and no row 2, counted from 0"},
		{"edge_index.npy", "", Options{Column: "x"}, ErrOptions,
			`FILE: column "x" is no number; those of an array are counted from 0`},
		{"edge_index.npy", "", Options{Row: "0", Axis: AxisRow}, ErrOptions,
			"FILE: row, column and axis of an array exclude each other"},
		{"edge_index.npy", "", Options{Row: "1", Bins: 9}, ErrRange,
			"FILE: update 4: index 9 is outside of the 9 bins"},
		{"image.npy", "", Options{Axis: AxisRow}, ErrOptions,
			"FILE: has the shape (3, 4); an axis is that of the shape (2, E) or (E, 2)"},
		{"cube_fortran.npy", "", Options{Row: "0"}, ErrOptions,
			"FILE: has the shape (2, 3, 4); a row is of two dimensions"},
		{"fraction_f4.npy", "", Options{}, ErrUnsupported, "FILE: update 2: 1.5 is no whole number"},
		{"graph.npz", "", Options{}, ErrOptions, "FILE: holds several arrays; choose one with " +
			"--array NAME: edge_index int64 (2, 5); batch int32 (3,)"},
		{"graph.npz", "", Options{Array: "x"}, ErrOptions,
			`FILE: there is no array "x", only edge_index int64 (2, 5); batch int32 (3,)`},
		{"graph.npz", "", Options{Array: "batch", Axis: AxisRow}, ErrOptions, "FILE: array batch: " +
			"has the shape (3,); an axis is that of the shape (2, E) or (E, 2)"},
		{"graph.pt", "", Options{}, ErrOptions, "FILE: holds several arrays; choose one with " +
			"--array NAME: edge_index int64 (2, 5); transposed int64 (5, 2); steps int32 (3,); " +
			"expanded uint8 (2, 3); nested.half float16 (2,); nested.list.0 float32 (2,); " +
			"brain bfloat16 (2,); fraction float32 (2,); flags bool (1,); 3.0 int16 (1,); 3.1 int8 (1,)"},
		{"graph.pt", "", Options{Array: "fraction"}, ErrUnsupported,
			"FILE: array fraction: update 1: 0.25 is no whole number"},
		{"graph.pt", "", Options{Array: "flags"}, ErrUnsupported, "FILE: array flags: " +
			"data.pkl elements are bool, indices are integers or whole floats"},
		{"legacy.pt", "", Options{}, ErrUnsupported, "FILE: has the format of torch.save before " +
			"PyTorch 1.6; save it again with torch.save(torch.load(old), new)"},
		{"object.pt", "", Options{}, ErrUnsupported, `FILE: data.pkl: byte 13: names ` +
			`"datetime.timedelta", and nothing of a pickle is executed; save its tensors alone`},
	}
	for i, f := range faults {
		faults[i].content = read(t, arrayFile(f.name))
	}
	checkFaults(t, faults)
}

// A file that is cut anywhere is refused, and never read as a shorter stream.
func TestCutArrays(t *testing.T) {
	for _, c := range arrayCases() {
		content := read(t, arrayFile(c.file))
		for cut := 0; cut < len(content); cut += 1 + len(content)/100 {
			got, err := readChunks(content[:cut], c.opt, 64)
			if err == nil && c.opt.Array == "" {
				t.Fatalf("%s: %d of %d bytes give %v", c.file, cut, len(content), got)
			}
			if err == nil && cmp.Diff(c.want, got) != "" {
				t.Fatalf("%s: %d of %d bytes give %v, want %v", c.file, cut, len(content), got, c.want)
			}
		}
	}
}

// The formats are told by their first bytes, without a name.
func TestArrayFormats(t *testing.T) {
	for file, want := range map[string]string{
		"image.npy": "npy", "deflated.npz": "npz", "tensor.pt": "torch", "legacy.pt": "torch",
		"graph.safetensors": "safetensors",
	} {
		in := &input{name: file, r: newPeeker(read(t, arrayFile(file)))}
		if got := formatByContent(in, Options{}); got.name != want {
			t.Errorf("%s is %s, want %s", file, got.name, want)
		}
	}
}

// A tensor of a machine with the other byte order: the same bytes and the entry that says so.
func TestTorchByteOrder(t *testing.T) {
	content := read(t, arrayFile("tensor.pt"))
	folder, _, _ := strings.Cut(firstEntry([]byte(content)), "/")
	content = rezip(t, content, folder+"/byteorder", "big\n")
	_, _, err := ReadAll("-", Options{Stdin: strings.NewReader(content)})
	const want = "stdin: update 0: index 360287970189639680 is above 4294967295 " + // 5 << 56
		"(--keys numbers such keys)"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
