package main

import (
	endian "encoding/binary"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
)

// TestStreams: the list names files that hold what the specifications say, long streams first.
func TestStreams(t *testing.T) {
	folder := t.TempDir()
	specs := []string{"zipf:n=5000,k=300,seed=3,s=1.2", "uniform:n=70000,k=1000,seed=2"}
	text := "# two streams\n" + strings.Join(specs, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(folder, "specs.txt"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c := onStandin("streams", "--specs", "specs.txt", "--out", "made/streams")
	c.folder = folder
	if out := c.done(t); !strings.Contains(out, "75,000") {
		t.Errorf("it says %q", out)
	}
	f, err := os.Open(filepath.Join(folder, "made", "streams", streamList))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 3 || rows[0][0] != "label" {
		t.Fatalf("list %v, %v", rows, err)
	}
	slices.Reverse(specs)
	for i, row := range rows[1:] {
		spec, err := synth.Parse(specs[i])
		if err != nil {
			t.Fatal(err)
		}
		want, err := synth.Generate(spec)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(folder, "made", "streams", row[3]))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]uint32, len(data)/4)
		for u := range got {
			got[u] = endian.LittleEndian.Uint32(data[4*u:])
		}
		if row[0] != spec.String() || row[1] != strconv.Itoa(spec.N) || row[2] != strconv.Itoa(int(spec.K)) ||
			!slices.Equal(got, want) {
			t.Errorf("row %v with %d indices is not %s", row, len(got), spec)
		}
	}
	for list, code := range map[string]int{"one:n=3,k=1": exitUsage, "# none\n": exitFailed, "uniform:n=2147483647,k=1": exitFailed} {
		if err := os.WriteFile(filepath.Join(folder, "list"), []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
		c := onStandin("streams", "--specs", "list", "--out", "list/no/folder") // fails before anything is made
		c.folder = folder
		if got := c.run(t); got.Code != code || !strings.Contains(got.Stderr, "list") ||
			strings.Contains(got.Stderr, "8.6 GB") != strings.Contains(list, "2147483647") {
			t.Errorf("%s: %+v", list, got)
		}
	}
}
