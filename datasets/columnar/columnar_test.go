package columnar

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/must"
)

// tableCase is a column of a file of testdata and the stream that it must give. Columns are told
// by their names or numbers.
type tableCase struct {
	file, column string
	want         []uint32
}

// squares are the values i·i mod 23.
func squares(n uint32) (list []uint32) {
	for i := range n {
		list = append(list, i*i%23)
	}
	return list
}

func tableCases() []tableCase {
	source, target := []uint32{0, 0, 1, 2, 4}, []uint32{3, 1, 1, 0, 9}
	whole, small := []uint32{7, 0, 4, 3, 65536}, []uint32{1, 2, 3, 4, 5}
	cases := []tableCase{
		{"javascript.arrow", "class", []uint32{700, 9, 700, 700, 9}},
		{"javascript.arrows", "class", []uint32{700, 9, 700, 700, 9}},
		{"batches.arrow", "key", squares(70)},
		{"batches.arrow", "", squares(70)},
		{"batches.arrow", "0", squares(70)},
		{"go-zstd.arrow", "half", make([]uint32, 100)},
		{"go-lz4.arrow", "half", make([]uint32, 100)},
		{"rust-groups.parquet", "", squares(70)},
		{"rust-delta.parquet", "key", squares(70)},
		{"rust-split.parquet", "key", squares(70)},
		{"cpp-lz4.parquet", "c0", []uint32{1593604800, 1593604800, 1593604801, 1593604801}},
		{"spark-v2.parquet", "b", []uint32{1, 2, 3, 4, 5}},
		{"spark-v2.parquet", "c", []uint32{2, 3, 4, 5, 2}},
		{"impala.parquet", "id", []uint32{6, 7}},
		{"impala.parquet", "4", []uint32{0, 1}},
	}
	for _, file := range []string{"javascript.arrow", "javascript.arrows", "rust.parquet",
		"rust-snappy.parquet", "rust-gzip.parquet", "rust-zstd.parquet", "rust-lz4.parquet",
		"rust-v2.parquet"} {
		cases = append(cases, tableCase{file, "source", source}, tableCase{file, "target", target},
			tableCase{file, "1", target}, tableCase{file, "whole", whole},
			tableCase{file, "small", small})
		pair := "pair"
		if strings.HasSuffix(file, ".parquet") {
			pair = "pair.list.item"
		}
		cases = append(cases, tableCase{file, pair, []uint32{1, 2, 3, 4, 5, 6}})
	}
	return cases
}

// open reads a column of a file.
func open(path, column string) ([]uint32, uint64, error) {
	return datasets.ReadAll(path, datasets.Options{Further: Formats(), Column: column})
}

// content is a file of testdata.
func content(t testing.TB, file string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(filepath.Join("testdata", file)))(t)
}

// Tables read the same from a file, by its name, from a pipe and compressed, by their content.
func TestTables(t *testing.T) {
	for _, c := range tableCases() {
		path := filepath.Join("testdata", c.file)
		got, _, err := open(path, c.column)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s, column %q: %v; (-want +got):\n%s", c.file, c.column, err, diff)
		}
		r, err := datasets.Open(path, datasets.Options{Further: Formats(), Column: c.column})
		if err != nil {
			t.Fatal(err)
		}
		want := "column " + strings.Replace(c.column, "1", "target", 1)
		if got := r.Targets(); got != want && (got != "" || strings.HasPrefix(c.file, "javascript")) && c.column != "4" {
			t.Errorf("%s, column %q: targets from %q, want %q", c.file, c.column, got, want)
		}
		must.Do(t, r.Close())
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write(content(t, c.file)); err != nil {
			t.Fatal(err)
		}
		must.Do(t, z.Close())
		got, _, err = datasets.ReadAll("-", datasets.Options{Further: Formats(), Column: c.column,
			Stdin: &packed})
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s.gz, column %q: %v; (-want +got):\n%s", c.file, c.column, err, diff)
		}
	}
}

// Keys and padding of a column are those of other formats.
func TestKeysAndPaddingOfTables(t *testing.T) {
	for _, c := range []struct {
		opt  datasets.Options
		want []uint32
	}{
		{datasets.Options{Keys: true}, []uint32{0, 1, 1, 2, 3}},
		{datasets.Options{Ignore: "1"}, []uint32{3, datasets.Inactive, datasets.Inactive, 0, 9}},
	} {
		c.opt.Column, c.opt.Further = "target", Formats()
		for _, file := range []string{"rust.parquet", "javascript.arrow"} {
			got, _, err := datasets.ReadAll(filepath.Join("testdata", file), c.opt)
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", file, err, diff)
			}
		}
	}
}

// Nulls are padding if that is said.
func TestNulls(t *testing.T) {
	gaps := []uint32{1, 2, datasets.Inactive, 4, 5}
	key := slices.Concat(squares(70), []uint32{datasets.Inactive}, squares(100)[71:])
	for _, c := range []tableCase{{"rust.parquet", "gaps", gaps}, {"rust-v2.parquet", "gaps", gaps},
		{"javascript.arrow", "gaps", gaps}, {"javascript.arrows", "gaps", gaps}, {"go-zstd.arrow", "key", key},
		{"go-lz4.arrow", "key", key}, {"rust.parquet", "target", []uint32{3, 1, 1, 0, 9}}} {
		got, _, err := datasets.ReadAll(filepath.Join("testdata", c.file),
			datasets.Options{Further: Formats(), Column: c.column, Ignore: datasets.IgnoreNull})
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s, column %q: %v; (-want +got):\n%s", c.file, c.column, err, diff)
		}
	}
}

// A column that is not one of whole numbers is told with what there is.
func TestTableFaults(t *testing.T) {
	for _, c := range []struct {
		file, column string
		kind         error
		words        string
	}{
		{"rust.parquet", "", datasets.ErrOptions, `--column "source" "when"`},
		{"javascript.arrow", "x", datasets.ErrOptions, `"x" "source" "when"`},
		{"rust.parquet", "gaps", datasets.ErrUnsupported, "gaps row 2"},
		{"rust-v2.parquet", "gaps", datasets.ErrUnsupported, "gaps row 2"},
		{"javascript.arrows", "gaps", datasets.ErrUnsupported, "gaps row 2"},
		{"go-zstd.arrow", "key", datasets.ErrUnsupported, "key row 70"},
		{"go-lz4.arrow", "key", datasets.ErrUnsupported, "key row 70"},
		{"rust.parquet", "weight", datasets.ErrUnsupported, `update 2: column "weight" 2.5`},
		{"javascript.arrow", "label", datasets.ErrUnsupported, `column "label" utf8`},
		{"rust-brotli.parquet", "source", datasets.ErrUnsupported, `column "source" row Brotli`},
		{"rust.parquet", "when", datasets.ErrUnsupported, `column "when"`},
	} {
		path := filepath.Join("testdata", c.file)
		_, _, err := open(path, c.column)
		if !errors.Is(err, c.kind) {
			t.Errorf("%s, column %q: %v, want %v", c.file, c.column, err, c.kind)
			continue
		}
		for _, word := range append(strings.Fields(c.words), path) {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s, column %q: %v, want it to name %s", c.file, c.column, err, word)
			}
		}
	}
}

// A file that is cut anywhere is refused, but for a stream of Arrow that ends behind a batch.
func TestCutTables(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range tableCases() {
		if seen[c.file] {
			continue
		}
		seen[c.file] = true
		data := content(t, c.file)
		for cut := 1; cut < len(data); cut += 1 + len(data)/60 {
			got, _, err := datasets.ReadAll("-", datasets.Options{Further: Formats(), Column: c.column,
				Stdin: bytes.NewReader(data[:cut])})
			whole := strings.HasSuffix(c.file, ".arrows") && cmp.Equal(got, c.want)
			if err == nil && !whole {
				t.Fatalf("%s, column %q: %d of %d bytes give %v", c.file, c.column, cut, len(data), got)
			}
		}
	}
}

// holdsContract reads what a fuzzer made: indices or one error of a known kind, never both.
func holdsContract(t *testing.T, data []byte, format, column string) {
	r, err := datasets.Open("-", datasets.Options{Further: Formats(), Column: column,
		Format: format, Stdin: bytes.NewReader(data)})
	if err == nil {
		buf := make([]uint32, 100)
		n, total := 0, 0
		for err == nil && total < 1<<16 {
			n, err = r.Next(buf)
			if (n > 0) == (err != nil) {
				t.Fatalf("Next = %d, %v", n, err)
			}
			total += n
		}
		if closed := r.Close(); closed != nil {
			t.Error(closed)
		}
		if total > 0 {
			return
		}
	}
	for _, kind := range []error{datasets.ErrOptions, datasets.ErrFormat, datasets.ErrUnsupported,
		datasets.ErrEmpty, datasets.ErrRange, datasets.ErrTruncated} {
		if errors.Is(err, kind) {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("the error has several lines: %q", err)
			}
			return
		}
	}
	t.Fatalf("%v wraps no sentinel", err)
}

// seeds adds the files of testdata with some of their columns.
func seeds(f *testing.F, extension string) {
	added := 0
	for _, c := range tableCases() {
		if strings.Contains(c.file, extension) {
			f.Add(content(f, c.file), c.column)
			added++
		}
	}
	if added == 0 {
		f.Fatal("no seed")
	}
}

func FuzzParquet(f *testing.F) {
	seeds(f, ".parquet")
	f.Fuzz(func(t *testing.T, data []byte, column string) {
		allocation.Bound(t, len(data), func() { holdsContract(t, data, "parquet", column) })
	})
}

func FuzzArrow(f *testing.F) {
	seeds(f, ".arrow")
	f.Fuzz(func(t *testing.T, data []byte, column string) {
		allocation.Bound(t, len(data), func() { holdsContract(t, data, "arrow", column) })
	})
}

// TestFailingReader: a pipe that fails anywhere gives its error, never a part of the table.
func TestFailingReader(t *testing.T) {
	broken := errors.New("cable pulled")
	for _, file := range []string{"javascript.arrow", "javascript.arrows", "rust.parquet"} {
		data := content(t, file)
		for n := 0; n < len(data); n += max(1, len(data)/40) {
			in := io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(broken))
			got, _, err := datasets.ReadAll("-", datasets.Options{Further: Formats(), Column: "source",
				Format: strings.TrimRight(filepath.Ext(file)[1:], "s"), Stdin: in})
			if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "stdin: ") {
				t.Errorf("%s, failing at byte %d of %d: %v, error %v", file, n, len(data), got, err)
			}
		}
	}
}
