package trees

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// labels are the recorded streams that trees are judged by.
func labels(t *testing.T) map[string]collision.Stats {
	t.Helper()
	all := map[string]collision.Stats{}
	for _, a := range recorded.Archives {
		own, err := a.Streams()
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(all, own)
		for _, s := range a.Judging() {
			if own, err = s.Streams(); err != nil {
				t.Fatal(err)
			}
			maps.Copy(all, own)
		}
	}
	return all
}

// TestFeatures: the stored features of every recorded synthetic stream are there, and those of short
// ones are what a sample finds. ATOMTUNE_UPDATE_GOLDEN=1 makes them anew; files are
// searched below the folders ATOMTUNE_FILES.
func TestFeatures(t *testing.T) {
	all := labels(t)
	if golden.Update() {
		renew(t, all)
	}
	stored, err := samples()
	if err != nil {
		t.Fatal(err)
	}
	const short, most = 1 << 19, 20
	compared := 0
	for _, label := range slices.Sorted(maps.Keys(all)) {
		stats := all[label]
		s, there := stored[label]
		if !there && recorded.IsFile(label) {
			continue
		}
		if !there || s.updates != stats.Updates {
			t.Errorf("%s: %d updates stored, want %d", label, s.updates, stats.Updates)
			continue
		}
		if recorded.IsFile(label) || stats.Updates > short || compared == most {
			continue
		}
		compared++
		if got := sampleOf(generated(t, label)); got != s {
			t.Errorf("%s: sample %+v, stored %+v", label, got, s)
		}
	}
	if compared != most {
		t.Errorf("%d streams were compared", compared)
	}
}

func generated(t *testing.T, label string) []uint32 {
	t.Helper()
	spec, err := synth.Parse(label)
	if err != nil {
		t.Fatal(err)
	}
	index, err := synth.Generate(spec)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

func renew(t *testing.T, all map[string]collision.Stats) {
	t.Helper()
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Write(append([]string{"label", "updates"}, columns...))
	for _, label := range slices.Sorted(maps.Keys(all)) {
		var index []uint32
		if recorded.IsFile(label) {
			if index = read(t, label); index == nil {
				t.Logf("%s is not below ATOMTUNE_FILES and left out", label)
				continue
			}
		} else {
			index = generated(t, label)
		}
		if uint64(len(index)) != all[label].Updates {
			t.Fatalf("%s: %d updates, recorded %d", label, len(index), all[label].Updates)
		}
		s := sampleOf(index)
		line := []string{label, strconv.FormatUint(s.updates, 10)}
		for _, v := range s.sums {
			line = append(line, fmt.Sprint(v))
		}
		w.Write(line)
	}
	w.Flush()
	data, err := gzipped.Pack(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("features.csv.gz", data, 0o666); err != nil {
		t.Fatal(err)
	}
	packed = data
}

// read reads the file of a label, NAME or NAME@AXIS, below the folders ATOMTUNE_FILES. What has an
// axis was recorded sorted by row.
func read(t *testing.T, label string) (index []uint32) {
	t.Helper()
	name, axis, sorted := strings.Cut(label, "@")
	how := datasets.Options{Axis: axis}
	if sorted {
		how.Order = datasets.OrderRow
	}
	roots := filepath.SplitList(os.Getenv("ATOMTUNE_FILES"))
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.Name() == name {
				index, _, err = datasets.ReadAll(path, how)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return index
}
