// Package columnartest holds the tests that the readers of tables share.
package columnartest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/tensor"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/golden"
)

// kinds are those of all faults.
var kinds = []error{tensor.ErrMalformed, tensor.ErrTruncated, tensor.ErrUnsupported}

// Fuzz tests, from the files of a pattern on, that any bytes are columns of values, or an error of one line
// that wraps one of the kinds.
func Fuzz[F datasets.Table](f *testing.F, pattern string, open func(io.ReaderAt, int64) (F, error)) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint8(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint8) {
		allocation.BoundBeyond(t, len(data), windows(data), func() {
			file, err := open(bytes.NewReader(data), int64(len(data)))
			if err == nil && file.Len() > 0 {
				err = readColumn(file, int(at)%file.Len())
			}
			if err == nil {
				return
			}
			for _, kind := range kinds {
				if errors.Is(err, kind) && !strings.ContainsAny(err.Error(), "\n\r") {
					return
				}
			}
			t.Errorf("%q", err)
		})
	})
}

// Column opens a file and a column of it.
func Column[F datasets.Table](t *testing.T, path string, open func(io.ReaderAt, int64) (F, error),
	column int) (F, datasets.Values) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	v, err := f.Read(column)
	if err != nil {
		t.Fatal(err)
	}
	return f, v
}

// Flipped reads a column of a file of which one byte is another, every third in turn or with ATOMTUNE_FULL=1
// each, and demands values or an error of one of the kinds, often.
func Flipped[F datasets.Table](t *testing.T, path string, open func(io.ReaderAt, int64) (F, error), column int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wrong, step := 0, 3
	if golden.Full() {
		step = 1
	}
	for i := 0; i < len(data); i += step {
		broken := bytes.Clone(data)
		broken[i] ^= 0x55
		f, err := open(bytes.NewReader(broken), int64(len(broken)))
		if err == nil && column < f.Len() {
			err = readColumn(f, column)
		}
		if err == nil {
			continue
		}
		wrong++
		if !slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) }) {
			t.Errorf("%s, byte %d: %v", path, i, err)
		}
	}
	if wrong < 30 {
		t.Errorf("%s: only %d flipped bytes were noticed", path, wrong)
	}
}

// Null reads the values before a null.
func Null(t *testing.T, v datasets.Values, want []uint64) {
	t.Helper()
	var got []uint64
	var err error
	for buf := make([]uint64, len(want)+10); err == nil; {
		var n int
		n, err = v.Next(buf)
		got = append(got, buf[:n]...)
	}
	if !slices.Equal(got, want) || !errors.Is(err, datasets.ErrNull) {
		t.Errorf("%v and %v, want %v", got, err, want)
	}
}

// Ends reads all values and demands that they end with an error of a kind.
func Ends(t *testing.T, v datasets.Values, kind error) {
	t.Helper()
	var err error
	for to := make([]uint64, 100); err == nil; {
		_, err = v.Next(to)
	}
	if !errors.Is(err, kind) {
		t.Errorf("%v, want %v", err, kind)
	}
}

// readColumn reads the first values of a column.
func readColumn(f datasets.Table, i int) error {
	v, err := f.Read(i)
	const most = 1 << 16 // few bytes may hold many
	to := make([]uint64, 100)
	for n, total := 0, 0; err == nil && total < most; total += n {
		n, err = v.Next(to)
	}
	if err == io.EOF {
		err = nil
	}
	return err
}

// windows is how much decompressors of streams take besides what they read: frames of LZ4 blocks of
// up to 4 MiB, and those of Zstandard a window.
func windows(data []byte) int {
	if bytes.Contains(data, []byte("\x28\xb5\x2f\xfd")) {
		return 2 * 64 << 20 // in all, of windows that grow
	}
	if bytes.Contains(data, []byte("\x04\x22\x4d\x18")) {
		return 4 * 4 << 20 // of values and of the bitmap of nulls
	}
	return 0
}
