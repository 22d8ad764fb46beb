package archive_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/datasets/recordings/archive/archivetest"
	"github.com/atomtune/atomtune/internal/must"
)

// snapshot is the content of every file of a folder.
func snapshot(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must.Do(t, fs.WalkDir(os.DirFS(folder), ".", func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			data, failed := os.ReadFile(filepath.Join(folder, p))
			all[p], err = string(data), failed
		}
		return err
	}))
	return all
}

// TestAddRefuses: what does not fit is not added, and the archive stays as it is.
func TestAddRefuses(t *testing.T) {
	folder, _ := tiny(t, nil)
	before := snapshot(t, folder)
	set := archive.Options{Set: "fresh"}
	for _, c := range []struct {
		name    string
		options archive.Options
		change  func(*recordings.Run)
	}{
		{"wrong results", set, func(r *recordings.Run) { r.Calls[1].Correct = false }},
		{"2 repeats on 1 starts", set,
			func(r *recordings.Run) { r.Calls[0].Repeats, r.Calls[0].Starts = 2, 1 }},
		{"no statistics", set, func(r *recordings.Run) { r.Streams = r.Streams[:1] }},
		{"no call on", set, func(r *recordings.Run) { r.Calls = r.Calls[:2] }},
		{"but statistics of", set, func(r *recordings.Run) { r.Calls[0].Updates++ }},
		{"NVIDIA Other", set, func(r *recordings.Run) { r.Provenance.GPU = "NVIDIA Other" }},
		{"is in what is in no set too", set,
			func(r *recordings.Run) { *r = archivetest.Tiny(t, date, 1) }},
		{"0 calls", set, func(r *recordings.Run) { r.Calls = nil }},
		{"holds readings.csv already", archive.Options{}, func(*recordings.Run) {}},
		{"recorded twice", archive.Options{More: "again"},
			func(r *recordings.Run) { *r = archivetest.Tiny(t, date, 1) }},
		{"no statistics", archive.Options{More: "other"}, func(*recordings.Run) {}},
		{"no name", archive.Options{Set: "../fresh"}, func(*recordings.Run) {}},
		{"no name", archive.Options{More: "a/b"}, func(*recordings.Run) {}},
		{"of a new set alone", archive.Options{Specs: []byte{}}, func(*recordings.Run) {}},
		{"lists 0 of 2 streams", archive.Options{Set: "fresh", Specs: []byte("# none\n")},
			func(*recordings.Run) {}},
		{"which is not a stream", archive.Options{Set: "fresh",
			Specs: []byte("uniform:n=4096,k=64,seed=99\n")}, func(*recordings.Run) {}},
	} {
		run := archivetest.Tiny(t, date, 11, 12)
		c.change(&run)
		files, err := archive.Add(folder, run, c.options)
		if !errors.Is(err, archive.ErrAdd) || files != nil {
			t.Errorf("%q: %v written, %v", c.name, files, err)
		}
		if diff := cmp.Diff(before, snapshot(t, folder)); diff != "" {
			t.Fatalf("%q has changed the archive", c.name)
		}
	}
}

// TestReplace: files give way only where that is asked for.
func TestReplace(t *testing.T) {
	folder, a := tiny(t, nil)
	again := archivetest.Tiny(t, "2026-02-02T03:04:05Z", 1, 2, 3)
	add(t, folder, again, archive.Options{Replace: true})
	streams, err := a.Streams()
	if err != nil || len(streams) != 3 {
		t.Errorf("%d streams, %v", len(streams), err)
	}
	archivetest.Index(t, a, folder)
}

// TestCheckReads: files that nobody can read are faults.
func TestCheckReads(t *testing.T) {
	for _, file := range []string{recordings.ReadingsFile, recordings.ScratchpadFile + ".gz",
		recordings.CallsFile, recordings.StreamsFile} {
		folder, a := tiny(t, nil)
		must.Do(t, os.WriteFile(filepath.Join(folder, file), []byte("x"), 0o644))
		name := strings.TrimSuffix(file, ".csv.gz")
		if err := a.Check(); !errors.Is(err, recordings.ErrRecording) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestPredicted: a time that was predicted was not compared, and is not a fault.
func TestPredicted(t *testing.T) {
	run := archivetest.Tiny(t, date, 1)
	c := slices.Clone(run.Calls)
	c[1].Origin, c[1].Correct, c[1].Repeats = recordings.Predicted, false, 0
	run.Calls = c
	add(t, filepath.Join(t.TempDir(), "tiny"), run, archive.Options{})
}
