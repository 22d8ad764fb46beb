// Package simtimes keeps simulated times for tests: a test that needs hundreds of
// simulations takes the times of a file and simulates a sample of them again, to the
// bit. With ATOMTUNE_FULL=1 it simulates them all. ATOMTUNE_UPDATE_GOLDEN=1 does so
// and writes the file.
package simtimes

import (
	"bytes"
	"encoding/csv"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
)

// Times are the times of a file by the name of a run, in microseconds.
type Times struct {
	path string
	us   map[string]float64 // nil where all runs are simulated
}

// Read reads a file of times, unless all of them are to be simulated.
func Read(t testing.TB, path string) Times {
	t.Helper()
	s := Times{path: path}
	if golden.Full() || golden.Update() {
		return s
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	s.us = map[string]float64{}
	for _, row := range rows {
		if s.us[row[0]], err = strconv.ParseFloat(row[1], 64); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Held returns the runs whose times are taken from the file: all but one of each
// group. That one is chosen by a hash of its name.
func (s Times) Held(group func(name string) string) map[string]float64 {
	hash := func(name string) uint64 {
		h := fnv.New64a()
		h.Write([]byte(name))
		return h.Sum64()
	}
	sample := map[string]string{}
	for name := range s.us {
		g := group(name)
		if other, ok := sample[g]; !ok || hash(name) < hash(other) {
			sample[g] = name
		}
	}
	held := map[string]float64{}
	maps.Copy(held, s.us)
	for _, name := range sample {
		delete(held, name)
	}
	return held
}

// Compare demands that the runs are those of the file, with the same times.
func (s Times) Compare(t testing.TB, runs map[string]float64) {
	t.Helper()
	if golden.Update() {
		write(t, s.path, runs)
		return
	}
	stored := s.us
	if stored == nil {
		t.Setenv("ATOMTUNE_FULL", "")
		stored = Read(t, s.path).us
	}
	if len(runs) != len(stored) {
		t.Errorf("%d runs, %d in %s", len(runs), len(stored), s.path)
	}
	for name, us := range runs {
		if want, ok := stored[name]; !ok || us != want {
			t.Errorf("%s: %v us, in %s %v", name, us, s.path, want)
		}
	}
}

func write(t testing.TB, path string, runs map[string]float64) {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		// A buffer takes whatever is written.
		_ = w.Write([]string{name, strconv.FormatFloat(runs[name], 'g', -1, 64)})
	}
	w.Flush()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
