package microbench

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/microbench/job"
)

const (
	checkpointHead = `{"format":"atomprobe-journal","version":1,"gpu":"GPU","gpu_uuid":"GPU-1","device":0,"compute_capability":"9.0","driver":"580.1","cuda":"13.0","program":"p","options":"--quick","plan":"00","start":{"Date":"2001-09-09T01:46:40Z","SMClockBefore":0,"SMClockAfter":0,"MemoryClock":0}}` + "\n"
	checkpointJob  = `{"job":"warp/a","result":{"warnings":["w"]}}` + "\n"
	checkpointEnd  = `{"end":{"sm_clock_mhz":1480,"memory_clock_mhz":1990}}` + "\n"
)

func headOf(t testing.TB) header {
	t.Helper()
	k := &kept{done: map[string]job.Result{}}
	h, _, err := k.kind().Decode("j", []byte(checkpointHead))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestJournalErrors: a broken checkpoint or one of another run is refused by file,
// line and value, and left as it is.
func TestCheckpointErrors(t *testing.T) {
	for _, c := range []struct{ text, words string }{
		{"1,2,3", ":1: "},
		{"1,2,3\n", ":1: "},
		{"{}\n", `:1: `},
		{strings.Replace(checkpointHead, `"version":1`, `"version":2`, 1),
			":1: "},
		{strings.Replace(checkpointHead, `"driver"`, `"drivers"`, 1), "drivers"},
		{checkpointHead + "{}\n", ":2: "},
		{checkpointHead + `{"job":"warp/a"}` + "\n", ":2: "},
		{checkpointHead + checkpointJob + checkpointJob, ":3: "},
		{checkpointHead + checkpointEnd + checkpointJob, ":3: "},
		{checkpointHead + checkpointJob[:len(checkpointJob)-1] + "{}\n", ":2: "},
		{strings.Replace(checkpointHead+checkpointJob, "580.1", "470.2", 1), "470.2"},
		{strings.Replace(checkpointHead+checkpointJob, "--quick", "--full", 1), "--full"},
		{strings.Replace(checkpointHead+checkpointJob, `"gpu":"GPU"`, `"gpu":"GTX"`, 1), "GTX"},
		{strings.Replace(checkpointHead+checkpointJob, `"GPU-1"`, `"GPU-2"`, 1), "GPU-2"},
		{strings.Replace(checkpointHead+checkpointJob, `"device":0`, `"device":1`, 1), ":1: "},
		{strings.Replace(checkpointHead+checkpointJob, `"plan":"00"`, `"plan":"01"`, 1), ":1: "},
	} {
		path := filepath.Join(t.TempDir(), CheckpointFile)
		must.Do(t, os.WriteFile(path, []byte(c.text), 0o644))
		_, err := openCheckpoint(path, headOf(t), false)
		if !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), c.words) {
			t.Errorf("%q: %v, want %q", c.text, err, c.words)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != c.text {
			t.Errorf("%q became %q, %v", c.text, text, err)
		}
	}
}

// FuzzJournal: any text is a checkpoint whose jobs have names, or an error.
func FuzzCheckpoint(f *testing.F) {
	for _, text := range []string{"", checkpointHead, checkpointHead + checkpointJob, checkpointHead + checkpointJob +
		checkpointEnd, checkpointHead + `{"job":"a","res`, "null\n", "\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p := &kept{done: map[string]job.Result{}}
		var h header
		var err error
		allocation.Bound(t, len(text), func() { h, _, err = p.kind().Decode("j", text) })
		if err != nil {
			if !errors.Is(err, ErrCheckpoint) {
				t.Fatal(err)
			}
			return
		}
		if _, nameless := p.done[""]; nameless {
			t.Fatal(p.done)
		}
		if bytes.IndexByte(text, '\n') >= 0 && h.Format != journalFormat {
			t.Fatal(h)
		}
	})
}
