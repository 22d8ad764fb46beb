package explorer

import (
	"errors"
	"math"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/tuner"
)

// streams lists streams that synth has a name for.
func streams(updates uint64) (list []Stream) {
	for _, targets := range []uint64{1, 1 << 5, 1 << 10, 1 << 15, 1 << 20} {
		for _, skew := range []float64{0, 0.5, 1, 1.5} {
			list = append(list, Stream{updates, targets, skew, 1})
		}
		list = append(list, Stream{updates, targets, 0, 16})
	}
	return list
}

// whole measures the whole stream of synth that a stream names.
func whole(t *testing.T, s Stream) *collision.Stats {
	t.Helper()
	spec, parsed := synth.Parse(s.Spec())
	keys, made := synth.Generate(spec)
	stats, err := collision.Analyze(keys, collision.Options{Bins: s.Targets})
	if err := errors.Join(parsed, made, err); err != nil {
		t.Fatal(err)
	}
	return &stats
}

// TestChoicesOfSamples: what is chosen by the sample and the law is nearly as fast as what is
// chosen by the whole stream, and its time is nearly the same.
func TestChoicesOfSamples(t *testing.T) {
	lengths := []uint64{1 << 18}
	if golden.Full() {
		lengths = []uint64{1 << 16, 1 << 18, 1 << 20, 1 << 22}
	}
	var losses, errs []float64
	for _, updates := range lengths {
		for _, s := range streams(updates) {
			estimated, err := new(Explorer).Stats(s, 32)
			must(t, err)
			exact := whole(t, s)
			for _, name := range []string{"h200", "h100", "gtx680"} {
				loss, ratio := compare(t, name, &estimated, exact)
				losses = append(losses, loss)
				errs = append(errs, math.Abs(ratio-1))
			}
		}
	}
	if len(losses) < 75 {
		t.Errorf("only %d choices compared", len(losses))
	}
	for _, x := range []struct {
		name        string
		list        []float64
		share, most float64
	}{
		{"loss", losses, 0.95, 1.05}, {"loss", losses, 1, 1.5},
		{"error of the time", errs, 0.5, 0.01}, {"error of the time", errs, 0.95, 0.15},
	} {
		if got := quantile.Of(x.list, x.share); got > x.most {
			t.Errorf("%s by samples: %.3f at %v of the choices, want %v", x.name, got, x.share, x.most)
		}
	}
}

// compare returns how much longer the choice by estimated statistics takes than that by exact ones,
// both by exact ones, and the ratio of the times that they say.
func compare(t *testing.T, name string, estimated, exact *collision.Stats) (loss, ratio float64) {
	t.Helper()
	d, err := device.Builtin(name)
	must(t, err)
	o := tuner.Options{Call: device.Call{Type: device.F32}}
	a, err := tuner.Choose(estimated, d, o)
	must(t, err)
	b, err := tuner.Choose(exact, d, o)
	must(t, err)
	for _, r := range b.Ranking {
		if r.Implementation == a.Choice.Implementation {
			return r.PredictedUS / b.Choice.PredictedUS, a.Choice.PredictedUS / b.Choice.PredictedUS
		}
	}
	t.Fatalf("%s: %s is not ranked by exact statistics", name, a.Choice.Implementation)
	return 0, 0
}

// TestLaw: targets that occur, and highest frequencies, against whole streams.
func TestLaw(t *testing.T) {
	for _, c := range []struct {
		s                  Stream
		unique, most, many float64 // largest relative errors, many that of chunks
	}{
		{Stream{1 << 18, 1 << 10, 0, 1}, 0.001, 0.05, 0.05},
		{Stream{1 << 18, 1 << 10, 1, 1}, 0.001, 0.05, 0.2},
		{Stream{1 << 18, 1 << 20, 1, 1}, 0.02, 0.05, 0.1},
		{Stream{1 << 18, 1 << 20, 1.5, 1}, 0.03, 0.05, 0.05},
		{Stream{1 << 18, 1 << 16, 0, 8}, 0.03, 0.5, 0.3},
	} {
		got, err := new(Explorer).Stats(c.s, 32)
		must(t, err)
		want := whole(t, c.s)
		for _, x := range []struct {
			name      string
			got, want uint64
			off       float64
		}{
			{"unique", got.Unique, want.Unique, c.unique},
			{"max_frequency", got.MaxFrequency, want.MaxFrequency, c.most},
			{"max_chunk_frequency_4", got.MaxChunkFrequency4, want.MaxChunkFrequency4, c.many},
			{"max_chunk_frequency_8", got.MaxChunkFrequency8, want.MaxChunkFrequency8, c.many},
		} {
			if math.Abs(float64(x.got)/float64(x.want)-1) > x.off {
				t.Errorf("%s: %s %d, the whole stream has %d", c.s.Spec(), x.name, x.got, x.want)
			}
		}
	}
}

// TestStreamCheck: statistics of every stream at the ends of the axes are sound, and other streams
// are refused.
func TestStreamCheck(t *testing.T) {
	for _, updates := range []uint64{1 << leastUpdatesLog, 1 << mostUpdatesLog} {
		for _, targets := range []uint64{1, 2, 1 << mostTargetsLog} {
			for _, skew := range []float64{0, 0.1, mostSkew} {
				for _, run := range []float64{1, 3, 1 << mostRunLog} {
					s := Stream{updates, targets, skew, run}
					for _, lanes := range []int{32, 64} {
						stats, err := new(Explorer).Stats(s, lanes)
						if err == nil {
							err = stats.Check()
						}
						if err != nil {
							t.Errorf("%+v: %v", s, err)
						}
					}
				}
			}
		}
	}
	for _, s := range []Stream{{1000, 1 << 10, 1, 1}, {1 << 29, 1 << 10, 1, 1}, {1 << 20, 0, 1, 1},
		{1 << 20, 1 << 25, 1, 1}, {1 << 20, 1 << 10, -1, 1}, {1 << 20, 1 << 10, math.NaN(), 1},
		{1 << 20, 1 << 10, 1, 0.5}, {1 << 20, 1 << 10, 1, math.Inf(1)}} {
		if _, err := new(Explorer).Stats(s, 32); !errors.Is(err, ErrQuestion) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

// TestScatter: each target has one rank.
func TestScatter(t *testing.T) {
	for _, targets := range []uint64{1, 2, 3, 4, 5, 1000, 1 << 12, 58112, 1 << 16} {
		s := Stream{Targets: targets}
		seen := make([]bool, s.Targets)
		for rank := range s.Targets {
			seen[s.scatter(rank)] = true
		}
		for target, hit := range seen {
			if !hit {
				t.Fatalf("of %d targets, none of the ranks has target %d", s.Targets, target)
			}
		}
	}
}

// TestDraw: ranks are drawn as often as the exact probabilities say, within four standard
// deviations and what groups of ranks cost.
func TestDraw(t *testing.T) {
	const draws = 1 << 16
	for _, skew := range []float64{0, 0.7, 1.5} {
		s, total := Stream{Targets: 1 << 12, Skew: skew, Run: 1}, 0.0
		for rank := range s.Targets {
			total += math.Pow(float64(rank+1), -skew)
		}
		l, r := s.law(), synth.NewRand(7)
		by := l.guide()
		counts := make([]int, s.Targets)
		for range draws {
			counts[l.draw(r, &by)]++
		}
		upTo, drawn := 0.0, 0
		for rank, n := range counts {
			upTo += math.Pow(float64(rank+1), -skew) / total
			drawn += n
			deviation := math.Sqrt(upTo * (1 - min(1, upTo)) / draws)
			if math.Abs(float64(drawn)/draws-upTo) > 4*deviation+1e-3 {
				t.Fatalf("skew %v: %d of %d draws up to rank %d, want %.4f of them", skew, drawn, draws,
					rank, upTo)
			}
		}
	}
}
