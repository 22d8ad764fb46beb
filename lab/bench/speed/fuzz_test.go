package speed

import (
	"bytes"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzDecode: a run that is read is written, and read as the same.
func FuzzDecode(f *testing.F) {
	f.Add((&Run{Processor: "p", Results: []Result{{Suite: "s", Case: "c", Work: 1, Unit: "rows",
		Seconds: 2, Cores: 1, Rounds: 3}}}).JSON())
	f.Fuzz(func(t *testing.T, data []byte) {
		var run *Run
		var err error
		allocation.Bound(t, len(data), func() { run, err = decode("run.json", data) })
		if err != nil {
			if !strings.Contains(err.Error(), "run.json: ") {
				t.Error(err)
			}
			return
		}
		once := run.JSON()
		again, err := decode("run.json", once)
		if err != nil || !bytes.Equal(again.JSON(), once) {
			t.Errorf("%v: %s", err, once)
		}
	})
}
