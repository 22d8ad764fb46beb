package archive_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/datasets/recordings/archive/archivetest"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/must"
)

const date = "2026-01-02T03:04:05Z"

// tiny makes an archive of streams 1 to 6 in a folder, with patterns or without.
func tiny(t *testing.T, s *recordings.Scratchpad) (string, *archive.Archive) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "tiny")
	run := archivetest.Tiny(t, date, 1, 2, 3, 4, 5, 6)
	run.Scratchpad = s
	if _, err := archive.Add(folder, run, archive.Options{}); err != nil {
		t.Fatal(err)
	}
	return folder, archive.New("tiny", os.DirFS(folder))
}

// add adds a run that must fit.
func add(t *testing.T, folder string, r recordings.Run, o archive.Options) []string {
	t.Helper()
	return must.Get(archive.Add(folder, r, o))(t)
}

// TestArchive: what a run has comes back from the archive, each call in the part of its stream.
func TestArchive(t *testing.T) {
	folder, a := tiny(t, archivetest.TinyScratchpad())
	want := archivetest.Tiny(t, date, 1, 2, 3, 4, 5, 6)
	want.Scratchpad = archivetest.TinyScratchpad()
	readings, err := a.Readings()
	if diff := cmp.Diff(want.Readings, readings); err != nil || diff != "" {
		t.Errorf("%v, readings:\n%s", err, diff)
	}
	columns, err := a.Columns()
	if diff := cmp.Diff(want.Scratchpad, columns); err != nil || diff != "" {
		t.Errorf("%v, columns:\n%s", err, diff)
	}
	m, err := a.Scratchpad()
	if err != nil || len(m.Lines) != len(columns.Patterns) ||
		m.Columns[0].Cycles[8] != columns.Columns[0].Cycles[8] {
		t.Errorf("%v, medians %+v", err, m)
	}
	var both []recordings.Call
	for _, part := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
		calls, err := a.Calls(part)
		if err != nil || len(calls) == 0 {
			t.Fatalf("%s: %d calls, %v", part, len(calls), err)
		}
		for _, c := range calls {
			if recordings.Half(c.Label) != part {
				t.Errorf("%s is not a stream of part %s", c.Label, part)
			}
		}
		both = append(both, calls...)
	}
	if len(both) != len(want.Calls) {
		t.Errorf("%d calls, want %d", len(both), len(want.Calls))
	}
	streams, err := a.Streams()
	if err != nil || len(streams) != 6 || streams[want.Streams[0].Label] != want.Streams[0].Stats {
		t.Errorf("%d streams, %v", len(streams), err)
	}
	must.Do(t, a.Check())
	if sets, err := a.Sets(); err != nil || len(sets) != 0 {
		t.Errorf("sets %v, %v", sets, err)
	}
	if err := archive.New("tiny", os.DirFS(folder), "second").Check(); err == nil {
		t.Error("a validation set that is not there is no fault")
	}
}

// TestCallsAreKept: calls belong to whoever asked for them, and those of a file that changes are read
// again.
func TestCallsAreKept(t *testing.T) {
	folder, a := tiny(t, nil)
	calls := func() []recordings.Call {
		t.Helper()
		return must.Get(a.Set("").Calls())(t)
	}
	want := slices.Clone(calls())
	clear(calls())
	if diff := cmp.Diff(want, calls()); diff != "" {
		t.Errorf("after a change of what was handed out:\n%s", diff)
	}
	add(t, folder, archivetest.Tiny(t, date, 1, 2), archive.Options{Replace: true})
	if now := calls(); len(now) == 0 || len(now) >= len(want) {
		t.Errorf("%d calls on two streams, %d on six", len(now), len(want))
	}
	data := must.Get(a.File(recordings.CallsFile))(t)
	must.Do(t, os.WriteFile(filepath.Join(folder, recordings.CallsFile), data[:len(data)-9],
		0o644))
	if all, err := a.Set("").Calls(); !errors.Is(err, recordings.ErrRecording) {
		t.Errorf("%d calls of a broken file, %v", len(all), err)
	}
}

// TestLacking: an archive may lack what a run need not have, and says so.
func TestLacking(t *testing.T) {
	run := archivetest.Tiny(t, date, 1)
	run.Readings = nil
	folder := filepath.Join(t.TempDir(), "tiny")
	files := add(t, folder, run, archive.Options{})
	if want := []string{recordings.CallsFile, recordings.StreamsFile,
		archive.IndexFile}; !slices.Equal(files, want) {
		t.Errorf("files %v, want %v", files, want)
	}
	a := archive.New("tiny", os.DirFS(folder))
	_, readings := a.Readings()
	_, columns := a.Scratchpad()
	_, counters := a.Counters()
	_, set := a.Set("none").Calls()
	_, stats := a.Set("none").Streams()
	_, file := a.File("none.csv")
	for _, err := range []error{readings, columns, counters, set, stats, file} {
		if !errors.Is(err, recordings.ErrRecording) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v", err)
		}
	}
	must.Do(t, a.Check())
	if err := archive.New("tiny", os.DirFS(t.TempDir())).Check(); err == nil {
		t.Error("nothing is an archive")
	}
}

// TestSets: sets are found by their folders and stand apart from the archive's own calls.
func TestSets(t *testing.T) {
	folder, _ := tiny(t, nil)
	fresh := archivetest.Tiny(t, "2026-01-03T03:04:05Z", 11, 12)
	specs := "# two\n" + fresh.Streams[0].Label + "\n\n" + fresh.Streams[1].Label + "\n"
	files := add(t, folder, fresh, archive.Options{Set: "fresh", Specs: []byte(specs)})
	if want := []string{"fresh/calls.csv.gz", "fresh/streams.jsonl.gz", "fresh/specs.txt",
		archive.IndexFile}; !slices.Equal(files, want) {
		t.Errorf("files %v, want %v", files, want)
	}
	add(t, folder, archivetest.Tiny(t, "2026-01-04T03:04:05Z", 13), archive.Options{Set: "drawn"})
	a := archive.New("tiny", os.DirFS(folder), "fresh")
	sets, err := a.Sets()
	if err != nil || len(sets) != 2 || sets[0].Name() != "drawn" || sets[1] != a.Set("fresh") ||
		sets[1].Archive() != a || !slices.Equal(a.Judging(), sets[1:]) {
		t.Fatalf("sets %v, %v", sets, err)
	}
	calls, err := sets[1].Calls()
	streams, failed := sets[1].Streams()
	if err != nil || failed != nil || len(calls) != 4 || len(streams) != 2 ||
		calls[0].Label != fresh.Streams[0].Label {
		t.Errorf("%d calls on %d streams, %v, %v", len(calls), len(streams), err, failed)
	}
	if data, err := sets[1].File(archive.SpecsFile); err != nil || string(data) != specs {
		t.Errorf("%q, %v", data, err)
	}
	must.Do(t, a.Check())
}

// withImplementation is a run whose calls are all of one implementation.
func withImplementation(r recordings.Run, v impl.Spec) recordings.Run {
	r.Calls = slices.DeleteFunc(slices.Clone(r.Calls), func(c recordings.Call) bool {
		return c.Implementation != impl.Spec{}
	})
	for i := range r.Calls {
		r.Calls[i].Implementation = v
	}
	return r
}

// TestTogether: readings that are added at the same time are all there, and in the index.
func TestTogether(t *testing.T) {
	folder, a := tiny(t, nil)
	var group sync.WaitGroup
	for _, suite := range []string{"first", "second", "third"} {
		group.Go(func() {
			run := archivetest.Tiny(t, date)
			run.Readings = slices.Clone(run.Readings)
			run.Readings[0].Suite = suite
			if _, err := archive.Add(folder, run, archive.Options{Further: true}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if readings, err := a.Readings(); err != nil || len(readings) != 4 {
		t.Errorf("%d readings, %v", len(readings), err)
	}
	archivetest.Index(t, a, folder)
}

// TestMore: further calls on streams that are there come after the others, in a set too.
func TestMore(t *testing.T) {
	folder, a := tiny(t, nil)
	peers := impl.Spec{Reduction: impl.Peers}
	add(t, folder, archivetest.Tiny(t, "2026-01-03T03:04:05Z", 11), archive.Options{Set: "fresh"})
	for _, set := range []string{"", "fresh"} {
		seeds := []int{1, 2, 3, 4, 5, 6}
		if set != "" {
			seeds = []int{11}
		}
		more := withImplementation(archivetest.Tiny(t, "2026-01-04T03:04:05Z", seeds...), peers)
		files := add(t, folder, more, archive.Options{Set: set, More: "peers"})
		if !slices.Equal(files, []string{filepath.ToSlash(filepath.Join(set, "calls_peers.csv.gz")),
			archive.IndexFile}) {
			t.Errorf("files %v", files)
		}
	}
	calls, err := a.Calls(recordings.Fit)
	n := len(calls)
	if err != nil || n%3 != 0 || calls[n-1].Implementation != peers ||
		calls[n/3*2-1].Implementation == peers {
		t.Errorf("%d calls, %v", n, err)
	}
	if calls, err = a.Set("fresh").Calls(); err != nil || len(calls) != 3 {
		t.Errorf("%d calls of the set, %v", len(calls), err)
	}
}

// TestFurther: readings of another suite come behind the archive's own, with their start; what the
// archive holds, what is not of its GPU, and calls beside them are refused.
func TestFurther(t *testing.T) {
	folder, a := tiny(t, nil)
	more := archivetest.Tiny(t, "2026-01-03T03:04:05Z")
	again, other := more, more
	other.Provenance.ComputeCapability = "8.0"
	more.Readings = slices.Clone(more.Readings)
	more.Readings[0].Suite = "returns"
	other.Readings = more.Readings
	beside := archivetest.Tiny(t, "2026-01-03T03:04:05Z", 11)
	beside.Readings = more.Readings
	further := archive.Options{Further: true}
	for name, run := range map[string]recordings.Run{"again": again, "of another kind of GPU": other,
		"calls beside them": beside, "nothing": {Name: "none"}} {
		if _, err := archive.Add(folder, run, further); !errors.Is(err, archive.ErrAdd) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := archive.Add(folder, more, archive.Options{Further: true, Set: "fresh"}); !errors.Is(err, archive.ErrAdd) {
		t.Errorf("further readings of a set: %v", err)
	}
	if _, err := archive.Add(t.TempDir(), more, further); !errors.Is(err, archive.ErrAdd) {
		t.Errorf("further readings of nothing: %v", err)
	}
	add(t, folder, more, further)
	readings, err := a.Readings()
	if err != nil || len(readings) != 2 || readings[0].Suite != "warp" ||
		readings[1].Suite != "returns" {
		t.Errorf("%v, %+v", err, readings)
	}
	x, err := archive.ReadIndex(os.DirFS(folder))
	i := slices.IndexFunc(x.Files,
		func(f archive.IndexedFile) bool { return f.Name == recordings.ReadingsFile })
	if err != nil || i < 0 || x.Files[i].Starts != 2 || x.Files[i].Rows != 2 {
		t.Errorf("%v, %+v", err, x.Files)
	}
	must.Do(t, a.Check())
}
