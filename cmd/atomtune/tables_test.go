package main

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tables"
)

// TestTables: Markdown, JSON and files hold what package tables makes, of a user's own profile.
func TestTables(t *testing.T) {
	t.Chdir(t.TempDir())
	mine := *profile(t, "gtx580")
	mine.Name = "mine"
	data, err := mine.Encode()
	if err != nil {
		t.Fatal(err)
	}
	write(t, "mine.json", data)
	doc, err := tables.Make(context.Background(), tables.Options{Devices: []*device.Profile{&mine},
		Types: []device.Type{device.F32}, Operand: device.One, Updates: 1024})
	if err != nil {
		t.Fatal(err)
	}
	args := line("tables --device mine.json --value one --updates 1024 --type f32")
	if diff := cmp.Diff(string(doc.Markdown(mine.Name)), done(t, args...)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	got := new(tables.Document)
	decode(t, done(t, append(args, "--json")...), got)
	if diff := cmp.Diff(doc, got); diff != "" {
		t.Errorf("--json (-want +got):\n%s", diff)
	}
	files, err := doc.Files()
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	unmake, err := wholefile.Folder("made")
	if err != nil {
		t.Fatal(err)
	}
	if o := atomtune("", append(args, "--out", "made")...); o.Code != exitFailed && runtime.GOOS == "linux" {
		t.Errorf("into a folder in use: exit code %d", o.Code)
	}
	unmake()
	listed := done(t, append(args, "--out", "made")...)
	for _, f := range files {
		path := filepath.Join("made", f.Name)
		if string(read(t, path)) != string(f.Content) || !strings.Contains(listed, path+"\n") {
			t.Errorf("%s is not what package tables makes, or not listed in %q", path, listed)
		}
	}
}
