package archivetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/internal/must"
)

// faults counts the errors that a test of an archive reports.
type faults struct {
	testing.TB
	found int
}

func (f *faults) Helper()               {}
func (f *faults) Error(...any)          { f.found++ }
func (f *faults) Errorf(string, ...any) { f.found++ }

// made makes an archive in a folder; change, which may be nil, spoils its run first.
func made(t *testing.T, change func(*recordings.Run)) (*archive.Archive, string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "tiny")
	run := Tiny(t, "2026-01-02T03:04:05Z", 1, 2, 3)
	run.Scratchpad = TinyScratchpad()
	if change != nil {
		change(&run)
	}
	if _, err := archive.Add(folder, run, archive.Options{}); err != nil {
		t.Fatal(err)
	}
	return archive.New("tiny", os.DirFS(folder)), folder
}

// TestFaults: each test finds what it is for, and nothing without it.
func TestFaults(t *testing.T) {
	t.Setenv("ATOMTUNE_UPDATE_GOLDEN", "")
	a, folder := made(t, nil)
	for name, c := range map[string]struct {
		test   func(testing.TB, *archive.Archive, string)
		change func(*recordings.Run)
		spoil  string // a file to which a line is added
	}{
		"index": {test: Index, spoil: recordings.ReadingsFile},
		"shape": {test: readings, change: func(r *recordings.Run) { r.Readings[0].Launch = "" }},
		"patterns": {test: scratchpad, change: func(r *recordings.Run) {
			r.Scratchpad.Patterns[0], r.Scratchpad.Patterns[1] = r.Scratchpad.Patterns[1],
				r.Scratchpad.Patterns[0]
		}},
		"column": {test: scratchpad, change: func(r *recordings.Run) {
			r.Scratchpad.Columns[0].Unroll = 0
		}},
		"starts": {test: noise, change: func(r *recordings.Run) {
			r.Readings[0].Starts, r.Readings[0].StartSpread = 2, 0.5
		}},
		"reading": {test: check, spoil: recordings.ReadingsFile},
	} {
		right, wrong := &faults{TB: t}, &faults{TB: t}
		c.test(right, a, folder)
		a, folder := made(t, c.change)
		if c.spoil != "" {
			path := filepath.Join(folder, c.spoil)
			data := must.Get(os.ReadFile(path))(t)
			must.Do(t, os.WriteFile(path, append(data, data[strings.LastIndexByte(
				strings.TrimSpace(string(data)), '\n')+1:]...), 0o644))
		}
		c.test(wrong, a, folder)
		if right.found != 0 || wrong.found == 0 {
			t.Errorf("%s: %d faults in what is right, %d in what is wrong", name, right.found,
				wrong.found)
		}
	}
}

// TestStreams: statistics of another stream are found.
func TestStreams(t *testing.T) {
	a, _ := made(t, nil)
	streams := must.Get(a.Streams())(t)
	t.Setenv("ATOMTUNE_FULL", "")
	every := func(string) bool { return true }
	right := &faults{TB: t}
	if n := Streams(right, streams, 2, every); n != 1 || right.found != 0 {
		t.Errorf("%d streams made, %d faults", n, right.found)
	}
	swapped := map[string]collision.Stats{}
	for label := range streams {
		for other, s := range streams {
			if other != label {
				swapped[label] = s
			}
		}
	}
	wrong := &faults{TB: t}
	if n := Streams(wrong, swapped, 1, every); n != 3 || wrong.found != 3 {
		t.Errorf("%d streams made, %d faults", n, wrong.found)
	}
}
