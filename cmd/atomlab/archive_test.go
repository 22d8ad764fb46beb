package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/datasets/recordings/archive/archivetest"
	"github.com/atomtune/atomtune/impl"
)

// runFolder writes a run as atomprobe does.
func runFolder(t *testing.T, folder string, r recordings.Run) {
	t.Helper()
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := recordings.WriteFolder(folder, r); err != nil {
		t.Fatal(err)
	}
}

// exampleRuns writes the runs that the examples take in.
func exampleRuns(t *testing.T) {
	t.Helper()
	runFolder(t, "run1", archivetest.Tiny(t, "2026-01-02T03:04:05Z", 1, 2))
	runFolder(t, "run2", archivetest.Tiny(t, "2026-01-03T03:04:05Z", 1, 2))
	runFolder(t, "run3", archivetest.Tiny(t, "2026-01-04T03:04:05Z", 3))
	hot, err := impl.Parse("hot:s=64")
	if err != nil {
		t.Fatal(err)
	}
	more := archivetest.Tiny(t, "2026-01-05T03:04:05Z", 1, 2)
	more.Calls = more.Calls[:1]
	more.Calls[0].Implementation = hot
	runFolder(t, "run4", more)
	further := archivetest.Tiny(t, "2026-01-06T03:04:05Z")
	further.Readings[0].Suite = "returns"
	runFolder(t, "run5", further)
	label := more.Streams[0].Label
	write(t, "specs.txt", strings.Replace(label, "seed=1", "seed=3", 1)+"\n")
}

// TestArchive: runs of two starts become an archive and another one a set of it, whose streams are
// listed; what is wrong or stands there already is refused.
func TestArchive(t *testing.T) {
	t.Chdir(t.TempDir())
	runFolder(t, "one", archivetest.Tiny(t, "2026-01-02T03:04:05Z", 1, 2))
	runFolder(t, "two", archivetest.Tiny(t, "2026-01-03T03:04:05Z", 1, 2))
	fresh := archivetest.Tiny(t, "2026-01-04T03:04:05Z", 3)
	runFolder(t, "three", fresh)
	write(t, "list", fresh.Streams[0].Label+"\n")
	var doc archiveDocument
	decode(t, done(t, "archive", "--out", "tiny", "--json", "one", "two"), &doc)
	if doc.Runs != 2 || !slices.Contains(doc.Written, archive.IndexFile) || len(doc.Warnings) != 0 {
		t.Errorf("%+v", doc)
	}
	const wrote = "tiny/fresh/calls.csv.gz\ntiny/fresh/streams.jsonl.gz\ntiny/fresh/specs.txt\n" +
		"tiny/index.json\n"
	if text := done(t, "archive", "--out", "tiny", "--set", "fresh", "--specs", "list",
		"three"); text != wrote {
		t.Errorf("%q, want %q", text, wrote)
	}
	a := archive.New("tiny", os.DirFS("tiny"), "fresh")
	archivetest.Index(t, a, "tiny")
	calls, err := a.Calls(recordings.Half(fresh.Calls[0].Label))
	if set, failed := a.Set("fresh").Calls(); failed != nil || len(set) != 2 {
		t.Errorf("%d calls of the set, %v", len(set), failed)
	}
	if err == nil {
		err = a.Check()
	}
	for _, c := range calls {
		if c.Starts != 2 || c.Repeats != 6 {
			t.Errorf("%s: %d repeats on %d starts", c.Label, c.Repeats, c.Starts)
		}
	}
	if err != nil {
		t.Error(err)
	}
	failed(t, exitUsage, "archive --out tiny --set fresh three", "fresh")
}
