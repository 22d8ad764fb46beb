package gomezluna13

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/expectation"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/latency"
	"github.com/atomtune/atomtune/variant"
)

func options(t testing.TB, o papers.Options) papers.Options {
	t.Helper()
	o, err := o.Complete()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestSurveyMeans compares means over random patterns with those that package
// latency finds by generating functions.
func TestSurveyMeans(t *testing.T) {
	o := options(t, papers.Options{Patterns: 10_000, Seed: 3})
	all, err := surveyOf(context.Background(), o, 1, rarely, func(words int) []setting {
		return []setting{single(words), fullest(variant.Cyclic)(words)}
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := gtx580()
	if err != nil {
		t.Fatal(err)
	}
	p, err := latency.ForDevice(d, device.OpAdd, device.U32)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for s, c := range all {
		if c.patterns != 10_000 || c.counted != 10_000 || c.tried != 10_000/rarely {
			t.Errorf("%+v: %v patterns, %v taken apart, %v simulated", s, c.patterns, c.counted, c.tried)
		}
		if sum := p.Base + c.lock + c.bank; math.Abs(sum-c.cycles) > 1e-6 {
			t.Errorf("%+v: the parts sum to %v, not %v", s, sum, c.cycles)
		}
		e, err := expectation.Of(p, latency.Votes{Words: s.words, Replicas: s.copies, Map: s.mapping,
			Threads: lanes}, expectation.Options{Samples: 1})
		if err != nil {
			t.Fatal(err)
		}
		if e.Exact {
			checked++
			// A pattern's latency spreads by less than 100 cycles.
			if math.Abs(c.cycles-e.Cycles) > 4 || math.Abs(c.lockDegree-e.Turns) > 0.04 ||
				math.Abs(c.bankDegree-e.BankDegree) > 0.04 {
				t.Errorf("%+v: %v cycles, degrees %v and %v, want %v, %v and %v", s, c.cycles, c.lockDegree,
					c.bankDegree, e.Cycles, e.Turns, e.BankDegree)
			}
		}
	}
	if checked < len(voteSpaces) {
		t.Errorf("%d exact means", checked)
	}
}

// TestShare: every task is done once, and an error ends the work.
func TestShare(t *testing.T) {
	for _, cores := range []int{1, 2, 7} {
		o := options(t, papers.Options{Cores: cores})
		done := make([]atomic.Int32, 50)
		worker := func() (func(int) error, error) {
			return func(task int) error { done[task].Add(1); return nil }, nil
		}
		if err := o.Share(context.Background(), len(done), worker); err != nil {
			t.Fatal(err)
		}
		for task := range done {
			if n := done[task].Load(); n != 1 {
				t.Errorf("%d cores: task %d was done %d times", cores, task, n)
			}
		}
		broken := errors.New("broken")
		tried := atomic.Int32{}
		err := o.Share(context.Background(), 1000, func() (func(int) error, error) {
			return func(int) error { tried.Add(1); return broken }, nil
		})
		if !errors.Is(err, broken) || int(tried.Load()) > cores {
			t.Errorf("%d cores: %v after %d tasks", cores, err, tried.Load())
		}
		if err := o.Share(context.Background(), 3, func() (func(int) error, error) {
			return nil,
				broken
		}); !errors.Is(err, broken) {
			t.Errorf("%d cores: %v", cores, err)
		}
	}
}

// TestTimesCountOnce: a process that is listed twice counts once.
func TestTimesCountOnce(t *testing.T) {
	v := histogram(layout{words: 8, copies: 1})
	other := histogram(layout{words: 8, copies: 2})
	if got := distinct([]voting{v, other, v}); !slices.Equal(got, []voting{v, other}) {
		t.Errorf("%+v", got)
	}
	indices := make([]uint32, 100)
	o := options(t, papers.Options{})
	us, err := timesOf(context.Background(), o, []voting{v, v}, 2,
		func(int, int) []uint32 { return indices })
	if err != nil {
		t.Fatal(err)
	}
	d, err := gtx580()
	if err != nil {
		t.Fatal(err)
	}
	alone, err := v.process(d, 0).Run(indices)
	if err != nil || math.Abs(us[v]-alone.US) > 1e-9 {
		t.Errorf("%v us, want %v, %v", us[v], alone.US, err)
	}
}
