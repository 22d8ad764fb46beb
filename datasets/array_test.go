package datasets

import (
	"errors"
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
		{"tensor.pt", Options{Keys: true}, []uint32{0, 1, 0}},
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

// A choice that is missing or wrong is told with what there is and the flag that helps.
func TestArrayFaults(t *testing.T) {
	faults := []fault{
		{"edge_index.npy", "", Options{}, ErrOptions, "2 5 --axis row"},
		{"edge_pairs.npy", "", Options{}, ErrOptions, "5 2 --axis row"},
		{"edge_index.npy", "", Options{Row: "2"}, ErrOptions, "2 5 row"},
		{"edge_index.npy", "", Options{Column: "x"}, ErrOptions, `column "x"`},
		{"edge_index.npy", "", Options{Row: "0", Axis: AxisRow}, ErrOptions, "column"},
		{"edge_index.npy", "", Options{Row: "1", Bins: 9}, ErrRange, "update 4: 9"},
		{"image.npy", "", Options{Axis: AxisRow}, ErrOptions, "3 4 2"},
		{"cube_fortran.npy", "", Options{Row: "0"}, ErrOptions, "2 3 4 row"},
		{"fraction_f4.npy", "", Options{}, ErrUnsupported, "update 2: 1.5"},
		{"graph.npz", "", Options{}, ErrOptions, "--array edge_index batch"},
		{"graph.npz", "", Options{Array: "x"}, ErrOptions, `"x" int64 2 5`},
		{"graph.npz", "", Options{Array: "batch", Axis: AxisRow}, ErrOptions, "(3,) 2"},
		{"graph.pt", "", Options{}, ErrOptions, "--array edge_index nested.list.0 3.1"},
		{"graph.pt", "", Options{Array: "fraction"}, ErrUnsupported, "update 1: 0.25"},
		{"graph.pt", "", Options{Array: "flags"}, ErrUnsupported, ""},
		{"legacy.pt", "", Options{}, ErrUnsupported, "1.6"},
		{"object.pt", "", Options{}, ErrUnsupported, `13 "datetime.timedelta"`},
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

// A tensor of a machine with the other byte order: the same bytes and the entry that says so.
func TestTorchByteOrder(t *testing.T) {
	content := read(t, arrayFile("tensor.pt"))
	folder, _, _ := strings.Cut(firstEntry([]byte(content)), "/")
	content = rezip(t, content, folder+"/byteorder", "big\n")
	_, _, err := ReadAll("-", Options{Stdin: strings.NewReader(content)})
	if !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), "update 0: index 360287970189639680 ") { // 5 << 56
		t.Errorf("error %v", err)
	}
}
