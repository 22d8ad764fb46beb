package tuner_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// counted is a stream that counts what is read of it, by several at once.
type counted struct {
	collision.Indices
	read atomic.Int64
}

func (s *counted) Read(into []uint32, at int) error {
	s.read.Add(int64(len(into)))
	return s.Indices.Read(into, at)
}

func settled(t *testing.T, stream collision.Stream, o tuner.Options, how tuner.Reading) tuner.Decision {
	t.Helper()
	d, err := settle(stream, 0, tunertest.Profile(t, "h200"), o, how)
	tunertest.Must(t, err)
	checkDecision(t, d, o)
	return d
}

// settle chooses for a stream of which blocks are read until they settle the choice.
func settle(stream collision.Stream, bins uint64, d *device.Profile, o tuner.Options, how tuner.Reading) (tuner.Decision, error) {
	how.From = 1
	o.Reading = how
	return tuner.ChooseSource(context.Background(), tuner.At(stream, bins), d, o)
}

// TestSettled: where a choice is clear the second sample settles it, with forms of hot among what
// is ranked and launches searched, and nothing else but the survey is read.
func TestSettled(t *testing.T) {
	indices, bins := tunertest.Generate(t, "hotspot:n=1048577,k=65536,seed=1,h=1,p=0.3")
	exact, err := tuner.ChooseStream(indices, bins, tunertest.Profile(t, "h200"),
		tuner.Options{SearchLaunch: true})
	tunertest.Must(t, err)
	before := slices.Clone(indices)
	how := tuner.Reading{First: 64, Seed: 3}
	stream := &counted{Indices: indices}
	d := settled(t, stream, tuner.Options{SearchLaunch: true}, how)
	l := d.Settling
	if !l.Settled || l.Samples != 2 || l.Blocks != 257 || l.TotalBlocks != 4097 || l.Updates != 65537 ||
		l.Seed != 3 || l.LossPercent > 1 || l.LossUS != l.LossPercent/100*d.Choice.PredictedUS ||
		l.Confidence != 0.9 {
		t.Errorf("%+v", l)
	}
	if d.Choice.Implementation != exact.Choice.Implementation ||
		math.Abs(d.Choice.PredictedUS/exact.Choice.PredictedUS-1) > 0.05 {
		t.Errorf("choice %+v, from all of the stream %+v", d.Choice, exact.Choice)
	}
	if !ranks(d, func(v impl.Spec) bool { return v.Slots > 0 }) {
		t.Error("no table of hot targets is ranked")
	}
	if d.Stream.Bins != bins || d.Stream.Sampled.Seed != 3 || len(d.Warnings) <= len(exact.Warnings) {
		t.Errorf("%d bins, %+v, %q", d.Stream.Bins, d.Stream.Sampled, d.Warnings)
	}
	// The survey reads all, and one update before each of 16 further stretches. Of each block the update
	// before it is read too, and of the incomplete block of one update.
	if want := len(indices) + 16 + (64+256)*257 + 2*2; int(stream.read.Load()) != want {
		t.Errorf("%d updates read, want %d", stream.read.Load(), want)
	}
	if again := settled(t, collision.Indices(indices), tuner.Options{SearchLaunch: true}, how); !cmp.Equal(d, again) {
		t.Error("another choice with the same seed")
	}
	how.Seed = 4
	if other := settled(t, collision.Indices(indices), tuner.Options{}, how); cmp.Equal(d.Stream, other.Stream) {
		t.Error("the same statistics with another seed")
	}
	if !slices.Equal(indices, before) {
		t.Error("the stream has changed")
	}
}

// TestSettledGrows: samples grow until none of what they leave open matters, and where that is never the
// whole stream is read, of which the statistics are exact.
func TestSettledGrows(t *testing.T) {
	indices, bins := tunertest.Generate(t, "zipf:n=1048576,k=65536,s=1,seed=1")
	o := tuner.Options{Calls: 1000}
	grown := settled(t, collision.Indices(indices), o, tuner.Reading{First: 4, Part: 1, Seed: 1})
	if l := grown.Settling; !l.Settled || l.Samples < 3 || l.LossPercent > 1 {
		t.Errorf("%+v", l)
	}
	stats, err := collision.Analyze(indices, collision.Options{Bins: bins, Seed: 1})
	tunertest.Must(t, err)
	exact := choose(t, &stats, tunertest.Profile(t, "h200"), o)
	d := settled(t, collision.Indices(indices), o, tuner.Reading{First: 4, Part: 256, Seed: 1})
	if l := d.Settling; l.Settled || l.Samples != 2 || l.Blocks != 4096 || l.TotalBlocks != 4096 ||
		l.Updates != 1048576 || l.LossPercent != 0 || l.LossUS != 0 {
		t.Errorf("%+v", l)
	}
	d.Settling = nil
	if diff := cmp.Diff(exact, d); diff != "" {
		t.Errorf("-exact +read as a whole:\n%s", diff)
	}
	few, _ := tunertest.Generate(t, "zipf:n=1048577,k=65536,s=1,seed=1")
	waits := settled(t, collision.Indices(few), o, tuner.Reading{First: 4, Part: 1, Seed: 1})
	if l := waits.Settling; !l.Settled || l.Samples != 3 {
		t.Errorf("%+v; the second sample's own intervals would settle it, the first does not", l)
	}
	short := settled(t, collision.Indices(indices[:700]), o, tuner.Reading{})
	if l := short.Settling; l.Samples != 0 || l.Blocks != 3 || short.Stream.Sampled != nil {
		t.Errorf("%+v", l)
	}
}

// TestSettledSorted: of a sorted stream the survey knows that it is grouped, so that segmented reduction
// is ranked, which a sample alone leaves out.
func TestSettledSorted(t *testing.T) {
	indices, _ := tunertest.Generate(t, "sorted:n=1048576,k=4096,seed=1")
	how := tuner.Reading{First: 64, Part: 1}
	d := settled(t, collision.Indices(indices), tuner.Options{}, how)
	if !d.Settling.Settled || !ranks(d, impl.Spec.NeedsGrouped) || warned(d, "segreduce") || !d.Stream.Grouped() || !d.Stream.Sampled.Sorted {
		t.Errorf("%+v, %d runs of %d targets, %+v", d.Settling, d.Stream.Runs,
			d.Stream.Unique, d.Ranking)
	}
	indices[0], indices[len(indices)-1] = indices[len(indices)-1], indices[0]
	if d = settled(t, collision.Indices(indices), tuner.Options{}, how); d.Stream.Sampled.Sorted ||
		ranks(d, impl.Spec.NeedsGrouped) || !warned(d, "segreduce") {
		t.Errorf("of a stream that is not sorted: %+v", d)
	}
}

// TestSettledFaults: options out of range, indices out of range and streams that cannot be read are
// errors.
func TestSettledFaults(t *testing.T) {
	d, stream := tunertest.Profile(t, "h200"), collision.Indices{1, 2, 300}
	for _, how := range []tuner.Reading{{First: 3}, {First: -1}, {Part: -1}} {
		if _, err := settle(stream, 0, d, tuner.Options{}, how); !errors.Is(err, tuner.ErrOptions) {
			t.Errorf("%+v: %v", how, err)
		}
	}
	if _, err := settle(stream, 300, d, tuner.Options{}, tuner.Reading{}); !errors.Is(err, collision.ErrIndex) {
		t.Errorf("an index out of range: %v", err)
	}
	if _, err := settle(collision.Indices{}, 0, d, tuner.Options{}, tuner.Reading{}); !errors.Is(err, collision.ErrEmpty) {
		t.Errorf("an empty stream: %v", err)
	}
	for _, after := range []int{0, 9} {
		if _, err := settle(&breaking{after: after}, 0, d, tuner.Options{}, tuner.Reading{First: 4, Part: 1}); !errors.Is(err, errBroken) {
			t.Errorf("a stream that breaks after %d reads: %v", after, err)
		}
	}
}

var errBroken = errors.New("broken")

// breaking is a stream of zeros that can be read so often.
type breaking struct{ after int }

func (s *breaking) Len() int { return 1 << 16 }

func (s *breaking) Read([]uint32, int) error {
	if s.after--; s.after < 0 {
		return errBroken
	}
	return nil
}
