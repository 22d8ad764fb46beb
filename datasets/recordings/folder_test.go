package recordings

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFolder writes a run, reads it, and holds the index against the files.
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
	if err := writeIndex(folder); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(folder, IndexFile))
	if err != nil {
		t.Fatal(err)
	}
	x, err := decodeIndex(data)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, f := range x.Files {
		rows[f.Name] = f.Rows
		if f.Name != StreamsFile && (f.Starts != 1 || f.Dates[0] != dates[0]) {
			t.Errorf("%s: %d starts, %v", f.Name, f.Starts, f.Dates)
		}
	}
	if diff := cmp.Diff(map[string]int{ReadingsFile: 2, CallsFile: 1, StreamsFile: 1,
		ScratchpadFile: 40, ScratchpadSpreadFile: 40}, rows); diff != "" {
		t.Errorf("rows of the files (-want +got):\n%s", diff)
	}
	if len(x.Streams) != 1 || x.Streams["c"] != Fit {
		t.Errorf("streams %v", x.Streams)
	}
	if kinds := kindsOf(t, folder); !cmp.Equal(kinds,
		map[string]Kind{ReadingsFile: Readings, CallsFile: Calls, StreamsFile: Streams,
			ScratchpadFile: Other, ScratchpadSpreadFile: Spread, IndexFile: IndexKind}) {
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
	if err := ClearFolder(folder); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 ||
		left[0].Name() != IndexFile {
		t.Errorf("%v, %v: want the index alone", left, err)
	}
	if _, err := ReadFolder(t.TempDir()); !errors.Is(err, ErrRecording) {
		t.Errorf("an empty folder: %v", err)
	}
}

func kindsOf(t *testing.T, folder string) map[string]Kind {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
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

// TestUnits: every column of every table has its unit.
func TestUnits(t *testing.T) {
	for _, c := range []struct{ file, column, unit string }{
		{ReadingsFile, "value", "unit"}, {ReadingsFile, "repeats", "1"}, {ReadingsFile, "name",
			""}, {CallsFile, "value", ""},
		{CallsFile, "median_us", "us"}, {CallsFile, "shared_bytes", "byte"}, {ScratchpadFile,
			"lane7", "word"},
		{ScratchpadFile, "u32_add_cycles", "cycle"}, {ScratchpadSpreadFile, "low", "cycle"},
	} {
		if got := unitOf(c.file, c.column); got != c.unit {
			t.Errorf("%s, %s: %q, want %q", c.file, c.column, got, c.unit)
		}
	}
}
