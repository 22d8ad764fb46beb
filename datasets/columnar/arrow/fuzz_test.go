package arrow

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzOpen: any bytes are columns of values, or an error of one line that wraps a sentinel.
func FuzzOpen(f *testing.F) {
	files, err := filepath.Glob("../testdata/*.arrow*")
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
			file, err := Open(bytes.NewReader(data), int64(len(data)))
			if err == nil && file.Len() > 0 {
				err = readColumn(file, int(at)%file.Len())
			}
			if err == nil {
				return
			}
			for _, kind := range []error{ErrMalformed, ErrTruncated, ErrUnsupported, ErrNull} {
				if errors.Is(err, kind) && !strings.ContainsAny(err.Error(), "\n\r") {
					return
				}
			}
			t.Errorf("%q", err)
		})
	})
}

// readColumn reads the first values of a column.
func readColumn(f *File, i int) error {
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
