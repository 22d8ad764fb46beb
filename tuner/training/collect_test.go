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
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// collect returns the rows of the small sweep.
func collect(t testing.TB, sim training.Simulator, o training.CollectOptions) []training.Row {
	t.Helper()
	return collected(t, tunertest.Sweep(), sim, o)
}

func collected(t testing.TB, s model.Sweep, sim training.Simulator, o training.CollectOptions) []training.Row {
	t.Helper()
	rows, err := training.Collect(t.Context(), tunertest.Profile(t, "h200"), s, sim, o)
	tunertest.Must(t, err)
	return rows
}

// TestResume cuts a checkpoint at many places. Collect must find every whole row, simulate the others only,
// and give the same rows, however many points are simulated at once.
func TestResume(t *testing.T) {
	rows, _ := tunertest.Trained()
	whole := filepath.Join(t.TempDir(), "whole.jsonl")
	if diff := cmp.Diff(rows, collect(t, tunertest.Fake(), training.CollectOptions{Checkpoint: whole, Workers: 1})); diff != "" ||
		len(rows) != tunertest.Sweep().Points {
		t.Fatalf("%d rows, one worker gives others (-want +got):\n%s", len(rows), diff)
	}
	data, err := os.ReadFile(whole)
	tunertest.Must(t, err)
	for _, cut := range []int{0, 100, len(data) / 2, len(data) - 1, len(data)} {
		path := filepath.Join(t.TempDir(), "cut.jsonl")
		if err := os.WriteFile(path, data[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		kept := max(0, bytes.Count(data[:cut], []byte("\n"))-1)
		first := true
		sim := tunertest.Fake()
		again := collect(t, sim, training.CollectOptions{Checkpoint: path,
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
		_, after, err := training.ReadCheckpoint(path)
		if err != nil || len(after) != len(rows) {
			t.Errorf("cut at %d: the journal then holds %d rows, %v", cut, len(after), err)
		}
	}
}

// TestJournalRefused: the checkpoint of another sweep or shard is not gone on with, nor one with a row of
// another sweep.
func TestCheckpointRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	other := tunertest.Sweep()
	other.Seed++
	collected(t, other, tunertest.Fake(), training.CollectOptions{Checkpoint: path})
	good, err := os.ReadFile(path)
	tunertest.Must(t, err)
	head := string(bytes.SplitAfter(good, []byte("\n"))[0])
	for name, c := range map[string]struct {
		content string
		sweep   model.Sweep
		shard   training.Shard
		want    string
	}{
		"other sweep": {string(good), tunertest.Sweep(), training.Shard{}, ":1: "},
		"other shard": {string(good), other, training.Shard{Index: 1, Of: 2}, "1/2"},
		"foreign row": {head + "{\"point\":70}\n", other, training.Shard{}, ":2: "},
		"version":     {strings.Replace(string(good), `"version":`, `"version":9`, 1), other, training.Shard{}, ":1: "},
	} {
		if err := os.WriteFile(path, []byte(c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := training.Collect(t.Context(), tunertest.Profile(t, "h200"), c.sweep, tunertest.Fake(),
			training.CollectOptions{Checkpoint: path, Shard: c.shard})
		if !errors.Is(err, training.ErrCheckpoint) || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

// TestShards: the shards' checkpoints merge to the rows of the whole sweep; missing and repeated points, no
// checkpoint, and one without a line, are errors.
func TestShards(t *testing.T) {
	rows, _ := tunertest.Trained()
	var paths []string
	for i := range 3 {
		paths = append(paths, filepath.Join(t.TempDir(), fmt.Sprintf("%d.jsonl", i)))
		collect(t, tunertest.Fake(), training.CollectOptions{Checkpoint: paths[i], Shard: training.Shard{Index: i, Of: 3}})
	}
	head, merged, err := training.Merge(paths[2], paths[0], paths[1])
	tunertest.Must(t, err)
	if diff := cmp.Diff(rows, merged); diff != "" || head.Sweep != tunertest.Sweep() ||
		head.Device != "h200" {
		t.Errorf("header %+v, rows (-want +got):\n%s", head, diff)
	}
	other, unended := filepath.Join(t.TempDir(), "other"), filepath.Join(t.TempDir(), "unended")
	collect(t, tunertest.Fake(), training.CollectOptions{Checkpoint: other, Shard: training.Shard{Index: 0, Of: 2}})
	if err := os.WriteFile(unended, []byte(`{"format"`), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		paths []string
		want  error
		text  string
	}{
		"missing":    {paths[:2], model.ErrRows, " 2, 3, 6, "},
		"repeated":   {append(paths[:3:3], paths[1]), model.ErrRows, "point "},
		"other cuts": {[]string{other, paths[2]}, training.ErrCheckpoint, paths[2] + ":1"},
		"unended":    {[]string{unended}, training.ErrCheckpoint, unended},
		"no file":    {[]string{paths[0] + ".gz"}, os.ErrNotExist, ""},
	} {
		if _, _, err := training.Merge(c.paths...); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.text)
		}
	}
}

// TestNoShard: a text that is not a shard is refused, and so is one without a line, which leaves no checkpoint.
func TestNoShard(t *testing.T) {
	for _, text := range []string{"", "1", "4/4", "-1/4", "0/0", "1/x", "1/2/3"} {
		if _, err := training.ParseShard(text); !errors.Is(err, model.ErrSweep) {
			t.Errorf("ParseShard(%q): error %v", text, err)
		}
	}
	path := filepath.Join(t.TempDir(), "none")
	_, err := training.Collect(t.Context(), tunertest.Profile(t, "h200"), tunertest.Sweep(), tunertest.Fake(),
		training.CollectOptions{Checkpoint: path, Shard: training.Shard{Index: 90, Of: 100}})
	if !errors.Is(err, model.ErrSweep) || !strings.Contains(err.Error(), "90/100") {
		t.Errorf("an empty part: error %v", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("an empty part left a journal: %v", err)
	}
}

// failing gives a wrong time for one implementation.
type failing struct {
	tunertest.Scaled
	us  float64
	err error
}

func (f failing) Simulate(v impl.Spec, d *device.Profile, c device.Call, indices []uint32,
	bins uint64) (float64, error) {
	if v.Algorithm == impl.Sort {
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

// TestCancel: a cancelled run leaves what it finished in the checkpoint.
func TestCancel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := 0
	_, err := training.Collect(ctx, tunertest.Profile(t, "h200"), tunertest.Sweep(), tunertest.Fake(),
		training.CollectOptions{Checkpoint: path, Progress: func(n, _ int) {
			if done = n; done == 10 {
				cancel()
			}
		}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	_, rows, err := training.ReadCheckpoint(path)
	if err != nil || len(rows) != done || done < 10 || done >= tunertest.Sweep().Points {
		t.Errorf("%d rows in the journal after %d points, %v", len(rows), done, err)
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
		tunertest.Must(t, err)
		again, err := training.PointOf(s, training.Row{Point: id})
		tunertest.Must(t, err)
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

// classes returns how many of the first lines of a sweep, long ones, whole ones and
// others, belong to a shard.
func classes(part training.Shard, lines int) (counts [3]int) {
	s := model.Sweep{Points: lines, Screen: 2}
	for number := range lines {
		switch {
		case !part.Has(number):
		case number%8 == 3:
			counts[0]++
		case s.Whole(number):
			counts[1]++
		default:
			counts[2]++
		}
	}
	return counts
}

// TestShardBalance: of each class of line, whatever the number of parts, all parts get
// as many, but for one, and each line belongs to one part.
func TestShardBalance(t *testing.T) {
	for of := 1; of <= 17; of++ {
		for _, lines := range []int{3, 24, 200, 1150, 4096} {
			whole, sum := classes(training.Shard{}, lines), [3]int{}
			for i := range of {
				got := classes(training.Shard{Index: i, Of: of}, lines)
				for class, n := range got {
					sum[class] += n
					if least := whole[class] / of; n < least || n > least+1 {
						t.Errorf("part %d/%d of %d lines has %d of class %d, want %d or one more", i, of, lines, n,
							class, least)
					}
				}
			}
			if sum != whole || whole[0]+whole[1]+whole[2] != lines {
				t.Errorf("%d parts of %d lines have %v in all, want %v", of, lines, sum, whole)
			}
		}
	}
}
