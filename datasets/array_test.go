package datasets

import (
	zipfile "archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/internal/must"
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
		{"graph.pt", Options{Array: "flags"}, []uint32{1}},
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
	if !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), "360287970189639680") { // 5 << 56
		t.Errorf("error %v", err)
	}
}

// seedArrays adds the files of arrays with an extension.
func seedArrays(f *testing.F, extension string) {
	added := 0
	for _, c := range arrayCases() {
		if strings.HasSuffix(c.file, extension) {
			f.Add([]byte(read(f, arrayFile(c.file))), c.opt.Array, c.opt.Axis, uint64(0))
			added++
		}
	}
	if added == 0 {
		f.Fatalf("no seed with the extension %s", extension)
	}
}

// fuzzArrays opens fuzzed arrays by any choice of a part.
func fuzzArrays(f *testing.F, format string) {
	f.Fuzz(func(t *testing.T, content []byte, name, axis string, bins uint64) {
		fuzzOpen(t, content, Options{Format: format, Array: name, Axis: axis, Bins: bins})
	})
}

func FuzzNPZ(f *testing.F) {
	seedArrays(f, ".npz")
	fuzzArrays(f, "npz")
}

func FuzzTorch(f *testing.F) {
	seedArrays(f, ".pt")
	fuzzArrays(f, "torch")
}

func FuzzSafetensors(f *testing.F) {
	seedArrays(f, ".safetensors")
	fuzzArrays(f, "safetensors")
}

// npzFile writes an archive of arrays by the contents of their files.
func npzFile(t *testing.T, names []string, content func(i int) string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "arrays.npz")
	file := must.Get(os.Create(path))(t)
	z := zipfile.NewWriter(file)
	for i, name := range names {
		w, err := z.CreateHeader(&zipfile.FileHeader{Name: name + ".npy"})
		if err == nil {
			_, err = io.WriteString(w, content(i))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	must.Do(t, errors.Join(z.Close(), file.Close()))
	return path
}

// Of many arrays only the headers are read that are asked for or listed.
func TestManyArrays(t *testing.T) {
	names := make([]string, 2*mostListed)
	for i := range names {
		names[i] = fmt.Sprint("a", i)
	}
	names[3] = strings.Repeat("long", 1000)
	path := npzFile(t, names, func(i int) string {
		if i == len(names)-2 {
			return "no array"
		}
		return npyFile(1, "'|u1'", "False", "(1,)", string([]byte{byte(i)}))
	})
	last := names[len(names)-1]
	if got, _, err := ReadAll(path, Options{Array: last}); err != nil || len(got) != 1 || int(got[0]) != len(names)-1 {
		t.Errorf("%s: %v, %v", last, got, err)
	}
	if _, _, err := ReadAll(path, Options{Array: names[len(names)-2]}); !errors.Is(err, ErrFormat) {
		t.Errorf("a broken array: %v", err)
	}
	_, _, err := ReadAll(path, Options{})
	if !errors.Is(err, ErrOptions) || len(err.Error()) > 1000 {
		t.Errorf("%d bytes: %.2000v", len(err.Error()), err)
	}
}

// An archive of more arrays than anyone lists is refused by their number.
func TestTooManyArrays(t *testing.T) {
	names := make([]string, mostArrays+1)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	path := npzFile(t, names, func(int) string { return npyFile(1, "'|u1'", "False", "(1,)", "a") })
	_, _, err := ReadAll(path, Options{Array: "0"})
	if !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
}
