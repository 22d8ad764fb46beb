package papers

import (
	"bytes"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzTimes: times that are read are written, and read as the same.
func FuzzTimes(f *testing.F) {
	f.Add([]byte("\"b | 1, 2\",2.5\na,0.1\n"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		var times map[string]float64
		var err error
		rows := bytes.Count(lines, []byte("\n")) + 1
		allocation.BoundBeyond(t, len(lines), rows<<10, func() { times, err = timesOf(lines) })
		if err != nil {
			return
		}
		once := timeLines(times)
		again, err := timesOf(once)
		if err != nil || !bytes.Equal(timeLines(again), once) {
			t.Errorf("%v: %s", err, once)
		}
	})
}
