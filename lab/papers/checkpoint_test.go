package papers

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// TestJournal: a time is in the file once it is known and is not asked for again; what an
// interruption left of a line is dropped; Close writes the names in order.
func TestCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "times.csv")
	if err := os.WriteFile(path, []byte("\"b | 1, 2\",2.5\na,0.1\ncut o"), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := OpenCheckpoint(path, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCheckpoint(path, ""); !errors.Is(err, wholefile.ErrBusy) {
		t.Errorf("a second process: %v", err)
	}
	o := Options{Memo: j.Memo}
	failure := errors.New("no time")
	if _, err := o.Simulated("d", func() (float64, error) { return 1, failure }); err != failure {
		t.Errorf("error %v", err)
	}
	asked := 0
	for _, run := range []string{"c", "b | 1, 2", "c"} {
		_, err := o.Simulated(run, func() (float64, error) {
			asked++
			return 1.0 / 3, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const begun, third = "\"b | 1, 2\",2.5\na,0.1\n", "c,0.3333333333333333\n"
	if text := read(t, path); asked != 1 || text != begun+third {
		t.Errorf("%d simulations, file %q", asked, text)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if text := read(t, path); text != "a,0.1\n\"b | 1, 2\",2.5\n"+third {
		t.Errorf("closed file %q", text)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestJournalErrors: a file that holds no times is named and left as it is.
func TestCheckpointErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "times.csv")
	for _, text := range []string{"a,fast\n", "a\n", "a,1,2\n", "\"a,1\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := OpenCheckpoint(path, "")
		if got := read(t, path); err == nil || !strings.Contains(err.Error(), path) || got != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
}

// TestJournalOf: a checkpoint of other times is refused and stays as it is; one of the same goes on.
func TestCheckpointOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "times.csv")
	if err := os.WriteFile(path, []byte("# another\na,"), 0o600); err != nil { // which keeps nobody out
		t.Fatal(err)
	}
	for _, n := range []float64{1, 2} {
		j, err := OpenCheckpoint(path, "this program")
		if err != nil {
			t.Fatal(err)
		}
		us, err := Options{Memo: j.Memo}.Simulated("a", func() (float64, error) { return n, nil })
		if err == nil {
			err = j.Close()
		}
		if err != nil || us != 1 {
			t.Fatalf("%v us, %v", us, err)
		}
		if _, err := OpenCheckpoint(path, "another"); err == nil || !strings.Contains(err.Error(), "this program") {
			t.Errorf("another program goes on: %v", err)
		}
		if got := read(t, path); got != "# this program\na,1\n" {
			t.Errorf("the file is %q", got)
		}
	}
	j, err := OpenCheckpoint(path, "this program")
	if err == nil {
		err = j.Remove()
	}
	if _, gone := os.Stat(path); err != nil || !errors.Is(gone, os.ErrNotExist) {
		t.Errorf("%v, %v", err, gone)
	}
}

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
