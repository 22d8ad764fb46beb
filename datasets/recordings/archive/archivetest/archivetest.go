// Package archivetest holds the tests that every archive of recordings is to pass.
package archivetest

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/golden"
)

// Run holds the archive whose files are those of the folder to all that needs no figure of its own:
// Check; the index; how readings and patterns are made; how far starts lie apart.
func Run(t *testing.T, a *archive.Archive, folder string) {
	for name, test := range map[string]func(testing.TB, *archive.Archive, string){
		"Check": check, "Index": Index, "Readings": readings, "Scratchpad": scratchpad, "Noise": noise,
	} {
		t.Run(name, func(t *testing.T) { test(t, a, folder) })
	}
}

func check(t testing.TB, a *archive.Archive, _ string) {
	if err := a.Check(); err != nil {
		t.Error(err)
	}
}

// Index holds the index in the folder against the files there, and against the archive's.
func Index(t testing.TB, a *archive.Archive, folder string) {
	if golden.Update() {
		if err := archive.WriteIndex(folder); err != nil {
			t.Fatal(err)
		}
	}
	files := os.DirFS(folder)
	index, err := archive.ReadIndex(files)
	if err != nil {
		t.Fatal(err)
	}
	in := archive.New(a.Name(), files)
	made, err := in.Index()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range differing(index, made) {
		t.Errorf("%s is not as the folder has %s", archive.IndexFile, name)
	}
	for _, f := range index.Files {
		data, err := a.File(f.Name)
		there, failed := in.File(f.Name)
		if err != nil || failed != nil || !bytes.Equal(data, there) {
			t.Errorf("the archive has another %s than the folder: %v, %v", f.Name, err, failed)
		}
	}
}

// differing lists the files that two indices do not describe alike, and their lists of streams.
func differing(x, y archive.Index) (names []string) {
	for _, f := range slices.Concat(x.Files, y.Files) {
		alike := func(g archive.IndexedFile) bool { return reflect.DeepEqual(f, g) }
		if !slices.ContainsFunc(x.Files, alike) || !slices.ContainsFunc(y.Files, alike) {
			names = append(names, f.Name)
		}
	}
	if !maps.Equal(x.Streams, y.Streams) {
		names = append(names, "the streams")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// lacks reports whether an archive lacks a file, and fails on other errors.
func lacks(t testing.TB, err error) bool {
	t.Helper()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err != nil
}

// readings: each reading of a kernel says in which shape it was launched and how its loop is
// unrolled, and names an instruction; no chain of arithmetic is said to be a barrier.
func readings(t testing.TB, a *archive.Archive, _ string) {
	all, err := a.Readings()
	if lacks(t, err) {
		return
	}
	for _, r := range all {
		ofKernel := r.Kernel != ""
		looped := ofKernel && r.Kernel != "spin" && r.Kernel != "empty"
		barrier := r.Kernel == "warp_barrier"
		if (r.Launch != "") != ofKernel || (r.Unroll > 0) != looped ||
			(r.Instruction != "") != looped || strings.Contains(r.Instruction,
			"bar.sync") != barrier {
			t.Errorf("%s %s %s by %q: %q, launched as %q, unrolled by %d", r.Suite, r.Name,
				r.Parameters, r.Kernel, r.Instruction, r.Launch, r.Unroll)
		}
	}
}

// scratchpad: the patterns are those that package patterns makes, and each column says how it
// was measured.
func scratchpad(t testing.TB, a *archive.Archive, _ string) {
	s, err := a.Columns()
	if lacks(t, err) {
		return
	}
	want := append(patterns.Structured(), patterns.Random(1, 27)...)
	if !slices.EqualFunc(s.Patterns, want, slices.Equal[patterns.Pattern]) {
		t.Error("the recorded patterns are not those that package patterns makes")
	}
	for _, c := range s.Columns {
		if c.Launch == "" || c.Unroll == 0 || c.Instruction == "" {
			t.Errorf("%s: %q, launched as %q, unrolled by %d", c.Name, c.Instruction, c.Launch, c.Unroll)
		}
	}
}

// Streams makes every n-th of the streams that are wanted, in the order of their labels, and holds
// their statistics to the recorded ones; all of them with ATOMTUNE_FULL=1. It returns their number.
func Streams(
	t testing.TB, streams map[string]collision.Stats, n int, want func(label string) bool,
) (made int) {
	t.Helper()
	if golden.Full() {
		n = 1
	}
	wanted := 0
	for _, label := range slices.Sorted(maps.Keys(streams)) {
		if !want(label) {
			continue
		}
		if wanted++; wanted%n == 0 {
			stream(t, label, streams[label])
			made++
		}
	}
	return made
}

func stream(t testing.TB, label string, recorded collision.Stats) {
	t.Helper()
	spec, err := synth.Parse(label)
	if err != nil {
		t.Fatal(err)
	}
	indices, err := synth.Generate(spec)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := collision.Analyze(indices, collision.Options{Bins: uint64(spec.K)})
	if err != nil {
		t.Fatal(err)
	}
	if stats = asRecorded(stats, recorded); stats != recorded {
		t.Errorf("%s: %+v, recorded %+v", label, stats, recorded)
	}
}

// asRecorded returns statistics without those that were not known when others were recorded.
func asRecorded(made, recorded collision.Stats) collision.Stats {
	if !recorded.HotKnown() {
		made.Cover, made.Misses = collision.Cover{}, collision.Misses{}
	}
	return made
}

// bothParts returns an archive's calls that are in no set.
func bothParts(t testing.TB, a *archive.Archive) (all []recordings.Call) {
	t.Helper()
	for _, part := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
		calls, err := a.Calls(part)
		if lacks(t, err) {
			return nil
		}
		all = append(all, calls...)
	}
	return all
}
