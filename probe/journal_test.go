package probe

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/probe/job"
)

const (
	journalHead = `{"format":"atomprobe-journal","version":1,"gpu":"GPU","gpu_uuid":"GPU-1","device":0,"compute_capability":"9.0","driver":"580.1","cuda":"13.0","program":"p","options":"--quick","plan":"00","start":{"Date":"2001-09-09T01:46:40Z","SMClockBefore":0,"SMClockAfter":0,"MemoryClock":0}}` + "\n"
	journalJob  = `{"job":"warp/a","result":{"warnings":["w"]}}` + "\n"
	journalEnd  = `{"end":{"sm_clock_mhz":1480,"memory_clock_mhz":1990}}` + "\n"
)

func headOf(t testing.TB) header {
	t.Helper()
	k := &kept{done: map[string]job.Result{}}
	h, _, err := k.kind().Decode("j", []byte(journalHead))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestJournalErrors: a broken journal or one of another run is refused by file,
// line and value, and left as it is.
func TestJournalErrors(t *testing.T) {
	for _, c := range []struct{ text, words string }{
		{"1,2,3", ":1: "},
		{"1,2,3\n", ":1: "},
		{"{}\n", `:1: `},
		{strings.Replace(journalHead, `"version":1`, `"version":2`, 1),
			":1: "},
		{strings.Replace(journalHead, `"driver"`, `"drivers"`, 1), "drivers"},
		{journalHead + "{}\n", ":2: "},
		{journalHead + `{"job":"warp/a"}` + "\n", ":2: "},
		{journalHead + journalJob + journalJob, ":3: "},
		{journalHead + journalEnd + journalJob, ":3: "},
		{journalHead + journalJob[:len(journalJob)-1] + "{}\n", ":2: "},
		{strings.Replace(journalHead+journalJob, "580.1", "470.2", 1), "470.2"},
		{strings.Replace(journalHead+journalJob, "--quick", "--full", 1), "--full"},
		{strings.Replace(journalHead+journalJob, `"gpu":"GPU"`, `"gpu":"GTX"`, 1), "GTX"},
		{strings.Replace(journalHead+journalJob, `"GPU-1"`, `"GPU-2"`, 1), "GPU-2"},
		{strings.Replace(journalHead+journalJob, `"device":0`, `"device":1`, 1), ":1: "},
		{strings.Replace(journalHead+journalJob, `"plan":"00"`, `"plan":"01"`, 1), ":1: "},
	} {
		path := filepath.Join(t.TempDir(), JournalFile)
		must.Do(t, os.WriteFile(path, []byte(c.text), 0o644))
		_, err := openJournal(path, headOf(t), false)
		if !errors.Is(err, ErrJournal) || !strings.Contains(err.Error(), path) ||
			!strings.Contains(err.Error(), c.words) {
			t.Errorf("%q: %v, want %q", c.text, err, c.words)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != c.text {
			t.Errorf("%q became %q, %v", c.text, text, err)
		}
	}
}

// FuzzJournal: any text is a journal whose jobs have names, or an error.
func FuzzJournal(f *testing.F) {
	for _, text := range []string{"", journalHead, journalHead + journalJob, journalHead + journalJob +
		journalEnd, journalHead + `{"job":"a","res`, "null\n", "\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p := &kept{done: map[string]job.Result{}}
		var h header
		var err error
		allocation.Bound(t, len(text), func() { h, _, err = p.kind().Decode("j", text) })
		if err != nil {
			if !errors.Is(err, ErrJournal) {
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
