package recordings

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
	"github.com/google/go-cmp/cmp"
)

// TestFolder writes a run, reads it, and tells its files by what they hold.
func TestFolder(t *testing.T) {
	folder := t.TempDir()
	want, _ := twoRuns()
	want.Name = folder
	if files, err := WriteFolder(folder, want); err != nil || !cmp.Equal(files, runFiles) {
		t.Fatal(files, err)
	}
	got, err := ReadFolder(folder)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Fatalf("%v, (-written +read):\n%s", err, diff)
	}
	const index = "index.json"
	must.Do(t, os.WriteFile(filepath.Join(folder, index), []byte("{\n}\n"), 0o644))
	if kinds := kindsOf(t, folder); !cmp.Equal(kinds,
		map[string]Kind{ReadingsFile: Readings, CallsFile: Calls, StreamsFile: Streams,
			ScratchpadFile: Other, ScratchpadSpreadFile: Spread, index: IndexKind}) {
		t.Errorf("kinds %v", kinds)
	}
	changed := want
	changed.Provenance.Driver = "1"
	files, err := WriteFolder(folder, Run{Provenance: changed.Provenance, Calls: want.Calls})
	if err != nil || !cmp.Equal(files, []string{CallsFile}) {
		t.Fatal(files, err)
	}
	if _, err := ReadFolder(folder); !errors.Is(err, ErrRecording) {
		t.Errorf("files of two runs: %v", err)
	}
	must.Do(t, ClearFolder(folder))
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 ||
		left[0].Name() != index {
		t.Errorf("%v, %v: want the index alone", left, err)
	}
	if _, err := ReadFolder(t.TempDir()); !errors.Is(err, ErrRecording) {
		t.Errorf("an empty folder: %v", err)
	}
}

func kindsOf(t *testing.T, folder string) map[string]Kind {
	t.Helper()
	entries := must.Get(os.ReadDir(folder))(t)
	kinds := map[string]Kind{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = Plain(e.Name(), data); err != nil {
			t.Fatal(err)
		}
		kinds[e.Name()] = KindOf(data)
	}
	return kinds
}
