package probe

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/probe/job"
)

const (
	journalHead = `{"format":"atomprobe-journal","version":1,"gpu":"GPU","gpu_uuid":"GPU-1","device":0,"compute_capability":"9.0","driver":"580.1","cuda":"13.0","program":"p","options":"--quick","plan":"00","start":{"Date":"2001-09-09T01:46:40Z","SMClockBefore":0,"SMClockAfter":0,"MemoryClock":0}}` + "\n"
	journalJob  = `{"job":"warp/a","result":{"warnings":["w"]}}` + "\n"
	journalEnd  = `{"end":{"sm_clock_mhz":1480,"memory_clock_mhz":1990}}` + "\n"
)

func headOf(t testing.TB) header {
	t.Helper()
	j := &journal{done: map[string]job.Result{}}
	if err := j.read([]byte(journalHead)); err != nil {
		t.Fatal(err)
	}
	return j.header
}

// TestJournal: whole lines are kept, a torn last one is cut off.
func TestJournal(t *testing.T) {
	for _, c := range []struct {
		text string
		done int
		end  bool
	}{
		{"", 0, false},
		{journalHead[:20], 0, false},
		{journalHead[:len(journalHead)-1], 0, false},
		{journalHead, 0, false},
		{journalHead + journalJob, 1, false},
		{journalHead + journalJob + journalEnd[:9], 1, false},
		{journalHead + journalJob + journalEnd, 1, true},
	} {
		path := filepath.Join(t.TempDir(), JournalFile)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		j, err := openJournal(path, headOf(t), false)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if len(j.done) != c.done || (j.end != nil) != c.end {
			t.Errorf("%q: %d jobs, end %v", c.text, len(j.done), j.end)
		}
		if err := j.finish("warp/b", job.Result{}); err != nil {
			t.Error(err)
		}
		if err := j.file.Close(); err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(path)
		whole := strings.Count(string(text), "\n") == strings.Count(c.text, "\n")+1 ||
			!strings.HasPrefix(c.text, journalHead)
		if err != nil || !strings.HasPrefix(string(text), journalHead) ||
			!strings.HasSuffix(string(text), "}\n") || !whole {
			t.Errorf("%q became %q, %v", c.text, text, err)
		}
	}
}

// TestJournalErrors: a broken journal or one of another run is refused by file,
// line and value, and left as it is.
func TestJournalErrors(t *testing.T) {
	for _, c := range []struct{ text, words string }{
		{"1,2,3", ":1: it is none"},
		{"1,2,3\n", ":1: "},
		{"{}\n", `:1: format ""`},
		{strings.Replace(journalHead, `"version":1`, `"version":2`, 1),
			":1: format \"atomprobe-journal\" version 2"},
		{strings.Replace(journalHead, `"driver"`, `"drivers"`, 1), "drivers"},
		{journalHead + "{}\n", ":2: neither"},
		{journalHead + `{"job":"warp/a"}` + "\n", ":2: neither"},
		{journalHead + journalJob + journalJob, ":3: job warp/a stands twice"},
		{journalHead + journalEnd + journalJob, ":3: a line after the end"},
		{journalHead + journalJob[:len(journalJob)-1] + "{}\n", ":2: data after the end"},
		{strings.Replace(journalHead, "580.1", "470.2", 1), `driver "470.2", not "580.1"`},
		{strings.Replace(journalHead, "--quick", "--full", 1), `options "--full", not "--quick"`},
		{strings.Replace(journalHead, `"gpu":"GPU"`, `"gpu":"GTX"`, 1), `GPU "GTX", not "GPU"`},
		{strings.Replace(journalHead, `"GPU-1"`, `"GPU-2"`, 1), `GPU of UUID "GPU-2", not "GPU-1"`},
		{strings.Replace(journalHead, `"device":0`, `"device":1`, 1), `device "1", not "0"`},
		{strings.Replace(journalHead, `"plan":"00"`, `"plan":"01"`, 1), `--restart`},
	} {
		path := filepath.Join(t.TempDir(), JournalFile)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
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

// TestJournalIsLocked: while one has a journal open no other gets it, not even to
// begin anew, and nothing is changed.
func TestJournalIsLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), JournalFile)
	j, err := openJournal(path, headOf(t), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, restart := range []bool{false, true} {
		if _, err := openJournal(path, headOf(t), restart); !errors.Is(err, ErrBusy) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("opened twice: %v", err)
		}
	}
	if err := errors.Join(j.finish("warp/a", job.Result{}), j.file.Close()); err != nil {
		t.Fatal(err)
	}
	again, err := openJournal(path, headOf(t), false)
	if err != nil || len(again.done) != 1 {
		t.Fatalf("%v: the journal does not hold its job", err)
	}
	if err := again.file.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzJournal: any text is a journal whose jobs have names, or an error.
func FuzzJournal(f *testing.F) {
	for _, text := range []string{"", journalHead, journalHead + journalJob, journalHead + journalJob +
		journalEnd, journalHead + `{"job":"a","res`, "null\n", "\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var j *journal
		var err error
		allocation.Bound(t, len(text), func() {
			j = &journal{path: "j", done: map[string]job.Result{}}
			err = j.read(text)
		})
		if err != nil {
			if !errors.Is(err, ErrJournal) {
				t.Fatal(err)
			}
			return
		}
		if _, nameless := j.done[""]; nameless || j.whole+int64(len(j.tail)) != int64(len(text)) {
			t.Fatalf("%d and %d of %d bytes, %v", j.whole, len(j.tail), len(text), j.done)
		}
		if j.whole > 0 && j.header.Format != journalFormat {
			t.Fatal(j.header)
		}
	})
}
