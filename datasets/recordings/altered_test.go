package recordings

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/must"
)

// TestAltered: which readings, calls and statistics are refused where one field is another, and by which
// numbers, is what testdata/altered.txt holds.
func TestAltered(t *testing.T) {
	var lines []string
	for name, decode := range map[string]func(text []byte) error{
		"readings.csv":     func(text []byte) error { _, _, err := DecodeReadings("f", text); return err },
		"calls.csv.gz":     func(text []byte) error { _, _, err := DecodeCalls("f", text); return err },
		"streams.jsonl.gz": func(text []byte) error { _, err := DecodeStreams("f", text); return err },
	} {
		data := must.Get(os.ReadFile(filepath.Join("..", "h200", name)))(t)
		lines = append(lines, name+": "+golden.Altered(firstLines(t, data, 12), 800, decode).String())
	}
	slices.Sort(lines)
	golden.Compare(t, "testdata/altered.txt", lines)
}

// firstLines is the beginning of a text, packed or not.
func firstLines(t *testing.T, data []byte, n int) []byte {
	t.Helper()
	data, _, err := gzipped.Unpack(data, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	end := 0
	for range n {
		end += 1 + bytes.IndexByte(data[end:], '\n')
	}
	return data[:end]
}
