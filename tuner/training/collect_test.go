package training_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
	"github.com/atomtune/atomtune/variant"
)

func collect(t testing.TB, d *device.Profile, sim training.Simulator,
	o training.CollectOptions) []training.Row {
	t.Helper()
	rows, err := training.Collect(context.Background(), d, tunertest.Sweep(), sim, o)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestWorkers: rows do not depend on how many points are simulated at once.
func TestWorkers(t *testing.T) {
	rows, _ := tunertest.Trained()
	if len(rows) != tunertest.Sweep().Points {
		t.Fatalf("%d rows of %d points", len(rows), tunertest.Sweep().Points)
	}
	again := collect(t, tunertest.Profile(t, "h200"), tunertest.Fake(),
		training.CollectOptions{Workers: 1})
	if diff := cmp.Diff(rows, again); diff != "" {
		t.Errorf("one worker gives other rows (-want +got):\n%s", diff)
	}
}

// TestResume cuts a journal at many places. Collect must find every whole row,
// simulate the others only, and give the same rows.
func TestResume(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	rows, _ := tunertest.Trained()
	whole := filepath.Join(t.TempDir(), "whole.jsonl")
	collect(t, d, tunertest.Fake(), training.CollectOptions{Journal: whole})
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{0, 1, 100, len(data) / 3, len(data) / 2, len(data) - 1, len(data)} {
		path := filepath.Join(t.TempDir(), "cut.jsonl")
		if err := os.WriteFile(path, data[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		kept := max(0, bytes.Count(data[:cut], []byte("\n"))-1)
		first := true
		sim := tunertest.Fake()
		again := collect(t, d, sim, training.CollectOptions{Journal: path,
			Progress: func(done, total int) {
				if first && done != kept || total != tunertest.Sweep().Points {
					t.Errorf("cut at %d: %d of %d done, want %d at first", cut, done, total, kept)
				}
				first = false
			}})
		if diff := cmp.Diff(rows, again); diff != "" {
			t.Fatalf("cut at %d: other rows (-want +got):\n%s", cut, diff)
		}
		if (sim.Calls.Load() == 0) != (kept == len(rows)) {
			t.Errorf("cut at %d: %d simulations with %d of %d rows kept", cut, sim.Calls.Load(), kept,
				len(rows))
		}
		after, err := training.ReadJournal(path)
		if err != nil || len(after.Rows) != len(rows) {
			t.Errorf("cut at %d: the journal then holds %d rows, %v", cut, len(after.Rows), err)
		}
	}
}

func TestJournalRefused(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	path := filepath.Join(t.TempDir(), "j.jsonl")
	other := tunertest.Sweep()
	other.Seed++
	if _, err := training.Collect(context.Background(), d, other, tunertest.Fake(),
		training.CollectOptions{Journal: path}); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(good, []byte("\n"))
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"other sweep": {good, "another sweep: seed 8, want 7"},
		"no journal":  {[]byte("a letter"), ":1: unusable journal: it is no journal"},
		"other file":  {[]byte("{}\n"), ":1: unusable journal: format"},
		"broken row": {[]byte(string(lines[0]) + string(lines[1]) + "{\"point\":\n"),
			":3: unusable journal"},
		"long row": {[]byte(string(lines[0]) + string(lines[1]) + strings.Repeat(" ", 1<<20) + "{}\n"),
			":3: unusable journal: a row of more than 1048576 bytes"},
		"foreign row": {[]byte(string(lines[0]) + "{\"point\":70}\n"), ":2: unusable journal: point 70"},
	} {
		if err := os.WriteFile(path, c.content, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := training.Collect(context.Background(), d, tunertest.Sweep(), tunertest.Fake(),
			training.CollectOptions{Journal: path})
		if !errors.Is(err, training.ErrJournal) || !strings.Contains(fmt.Sprint(err), c.want) ||
			!strings.Contains(fmt.Sprint(err), path) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, c.content) {
			t.Errorf("%s: the refused file was changed", name)
		}
	}
	if err := os.WriteFile(path, good, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = training.Collect(context.Background(), d, other, tunertest.Fake(),
		training.CollectOptions{Journal: path, Shard: training.Shard{Index: 1, Of: 2}})
	if !errors.Is(err, training.ErrJournal) || !strings.Contains(err.Error(), "shard 0/1, not 1/2") {
		t.Errorf("other shard: error %v", err)
	}
	held, err := wholefile.Alone(path)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	_, err = training.Collect(context.Background(), d, other, tunertest.Fake(),
		training.CollectOptions{Journal: path})
	if !errors.Is(err, wholefile.ErrBusy) || !strings.Contains(err.Error(), path) {
		t.Errorf("another process has it: error %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(after, good) {
		t.Error("the journal of another process was changed")
	}
}

// TestHeadAlone: the head of another sweep, without a row behind it, keeps nobody out.
func TestHeadAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	d, other := tunertest.Profile(t, "h200"), tunertest.Sweep()
	other.Seed++
	if _, err := training.Collect(context.Background(), d, other, tunertest.Fake(),
		training.CollectOptions{Journal: path}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head := text[:bytes.IndexByte(text, '\n')+1]
	if err := os.WriteFile(path, head, 0o666); err != nil {
		t.Fatal(err)
	}
	rows := collect(t, d, tunertest.Fake(), training.CollectOptions{Journal: path})
	after, err := training.ReadJournal(path)
	if err != nil || len(after.Rows) != len(rows) || after.Header.Sweep != tunertest.Sweep().Normal() {
		t.Errorf("%d rows of %+v, %v", len(after.Rows), after.Header, err)
	}
}

// TestShards: the shards' journals merge to the rows of the whole sweep, and
// faults name the points.
func TestShards(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	rows, _ := tunertest.Trained()
	var paths []string
	for i := range 3 {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.jsonl", i))
		collect(t, d, tunertest.Fake(), training.CollectOptions{Journal: path,
			Shard: training.Shard{Index: i, Of: 3}})
		paths = append(paths, path)
	}
	head, merged, err := training.Merge(paths[2], paths[0], paths[1])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, merged); diff != "" || head.Sweep != tunertest.Sweep() ||
		head.Device != "h200" {
		t.Errorf("header %+v, rows (-want +got):\n%s", head, diff)
	}
	for name, c := range map[string]struct {
		paths []string
		want  string
	}{
		"missing":  {paths[:2], "points are missing: 2, 3, 6, 9, 13, 17, 21, 24, 27, 28 and 13 more"},
		"repeated": {append(paths[:3:3], paths[1]), "point "},
	} {
		if _, _, err := training.Merge(c.paths...); !errors.Is(err, model.ErrRows) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	if _, _, err := training.Merge(filepath.Join(t.TempDir(), "none")); !errors.Is(err,
		training.ErrJournal) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
}

func TestParseShard(t *testing.T) {
	for text, want := range map[string]training.Shard{"0/1": {Index: 0, Of: 1},
		"3/4": {Index: 3, Of: 4}} {
		if got, err := training.ParseShard(text); err != nil || got != want || got.String() != text {
			t.Errorf("ParseShard(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1", "4/4", "-1/4", "0/0", "1/x", "1/2/3"} {
		if _, err := training.ParseShard(text); !errors.Is(err, model.ErrSweep) {
			t.Errorf("ParseShard(%q): error %v", text, err)
		}
	}
}

// failing gives a wrong time for one implementation.
type failing struct {
	tunertest.Scaled
	us  float64
	err error
}

func (f failing) Simulate(v variant.Variant, d *device.Profile, c device.Call, indices []uint32,
	bins uint64) (float64, error) {
	if v.Base == variant.Sort {
		return f.us, f.err
	}
	return f.Scaled.Simulate(v, d, c, indices, bins)
}

func TestSimulatorFails(t *testing.T) {
	broken := errors.New("no kernel")
	for _, f := range []failing{{tunertest.Fake(), 0, nil}, {tunertest.Fake(), math.NaN(), nil},
		{tunertest.Fake(), math.Inf(1), nil}, {tunertest.Fake(), 1, broken}} {
		_, err := training.Collect(context.Background(), tunertest.Profile(t, "h200"), tunertest.Sweep(),
			f, training.CollectOptions{})
		if !errors.Is(err, training.ErrSimulator) || !strings.Contains(err.Error(), "sort") ||
			!strings.Contains(err.Error(), "point ") ||
			f.err != nil && !errors.Is(err, broken) {
			t.Errorf("%v us, %v: error %v", f.us, f.err, err)
		}
	}
}

// TestCancel: a cancelled run leaves what it finished in the journal.
func TestCancel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := 0
	_, err := training.Collect(ctx, tunertest.Profile(t, "h200"), tunertest.Sweep(), tunertest.Fake(),
		training.CollectOptions{Journal: path, Progress: func(n, _ int) {
			if done = n; done == 10 {
				cancel()
			}
		}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	j, err := training.ReadJournal(path)
	if err != nil || len(j.Rows) != done || done < 10 || done >= tunertest.Sweep().Points {
		t.Errorf("%d rows in the journal after %d points, %v", len(j.Rows), done, err)
	}
}

func TestSweepErrors(t *testing.T) {
	for _, s := range []model.Sweep{
		{}, {Points: -1}, {Points: 1 << 30}, {Points: 1, MinUpdates: 10, MaxUpdates: 9},
		{Points: 1, MaxUpdates: 1 << 40}, {Points: 1, MaxBins: 1 << 32},
	} {
		if _, err := training.Collect(context.Background(), tunertest.Profile(t, "h200"), s,
			tunertest.Fake(), training.CollectOptions{}); !errors.Is(err, model.ErrSweep) {
			t.Errorf("%+v: error %v", s, err)
		}
	}
}

// TestPoints: a sweep draws every family equally often, every type and both
// operands, within its limits, and the same points again.
func TestPoints(t *testing.T) {
	s := model.Sweep{Points: 560, Seed: 3, MaxUpdates: 5000, MaxBins: 1 << 20}
	families, types, operands := map[string]int{}, map[device.Type]int{}, map[device.Operand]int{}
	for id := range s.Points {
		p, err := training.PointOf(s, training.Row{Point: id})
		if err != nil {
			t.Fatal(err)
		}
		again, err := training.PointOf(s, training.Row{Point: id})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := tunertest.MustJSON(t, p), tunertest.MustJSON(t, again); a != b {
			t.Fatalf("point %d is %s, then %s", id, a, b)
		}
		if p.Stream.N < 1024 || p.Stream.N > 5000 || p.Stream.K < 1 || p.Stream.K > 1<<20 ||
			p.Call.Returns {
			t.Errorf("point %+v", p)
		}
		families[p.Stream.Family]++
		types[p.Call.Type]++
		operands[p.Call.Operand]++
	}
	for f, n := range families {
		if n != s.Points/len(families) {
			t.Errorf("%s has %d points", f, n)
		}
	}
	if len(families) < 8 || len(types) != 6 || len(operands) != 2 {
		t.Errorf("families %v, types %v, operands %v", families, types, operands)
	}
}
