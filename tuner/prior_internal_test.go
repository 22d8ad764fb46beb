package tuner

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestPriorIsOfStreams compares the statistics of components with those of made
// streams of the same description.
func TestPriorIsOfStreams(t *testing.T) {
	const n = 1 << 16
	compared := 0
	for _, c := range []struct {
		k    component
		spec string
	}{
		{component{0, 1, 1, 0}, "uniform:n=65536,k=16"},
		{component{0, 1, 1, 0}, "uniform:n=65536,k=256"},
		{component{0, 1, 1, 0}, "uniform:n=65536,k=65536"},
		{component{0, 1, 1, 0}, "uniform:n=65536,k=16777216"},
		{component{0, 8, 1, 0}, "runs:n=65536,k=256,len=8"},
		{component{0, 8, 1, 0}, "runs:n=65536,k=65536,len=8"},
		{component{0, 64, 1, 0}, "runs:n=65536,k=65536,len=64"},
		{component{0.1, 1, 1, 0}, "hotspot:n=65536,k=4096,h=1,p=0.1,shuffle=1"},
		{component{0.5, 1, 1, 0}, "hotspot:n=65536,k=4096,h=1,p=0.5,shuffle=1"},
		{component{0.5, 1, 1, 0}, "hotspot:n=65536,k=1048576,h=1,p=0.5,shuffle=1"},
		{component{0, 1, 1, 1}, "zipf:n=65536,k=4096,s=1"},
		{component{0, 1, 1, 1}, "zipf:n=65536,k=1048576,s=1"},
		{component{0, 1, 1, 1.3}, "zipf:n=65536,k=256,s=1.3"},
		{component{0, 1, 1, 1.3}, "zipf:n=65536,k=100000,s=1.3"},
		{component{1, 1, 1, 0}, "constant:n=65536,k=256,at=3"},
	} {
		made := tunertest.Analyze(t, c.spec)
		var s collision.Stats
		c.k.stats(n, made.Bins, 32, 256, &s)
		compared += compareStats(t, c.spec, made, &s)
	}
	if compared < 200 {
		t.Errorf("only %d statistics compared", compared)
	}
}

// compareStats holds estimates against the truth: a factor of 1.15 for means of
// different targets, 1.6 or more for highest frequencies, of which the estimate is rough.
func compareStats(t *testing.T, name string, made, s *collision.Stats) (compared int) {
	t.Helper()
	of, is := reflect.ValueOf(*made), reflect.ValueOf(*s)
	for i := range of.NumField() {
		field := of.Type().Field(i).Name
		if field == "Ignored" || !of.Field(i).CanConvert(reflect.TypeFor[float64]()) {
			continue // streams of the prior have no padding
		}
		want, got := of.Field(i).Convert(reflect.TypeFor[float64]()).Float(),
			is.Field(i).Convert(reflect.TypeFor[float64]()).Float()
		limit := 1.6
		switch field {
		case "Updates", "Bins", "WarpSize", "BlockSize":
			limit = 1
		case "Unique", "AllLevel", "DistinctPerWarp", "DistinctPerBlock", "Runs", "SectorsPerWarp4", "SectorsPerWarp8":
			limit = 1.15
		case "HotWarps", "HotSegments": // of which little is known where runs are long
			limit = 2.2
		case "ClusteredFraction": // near 0 where nothing repeats
			want, got, limit = want+0.05, got+0.05, 1.15
		}
		if off := math.Abs(math.Log(got / want)); !(off <= math.Log(limit)+1e-12) {
			t.Errorf("%s: %s is %.5g, estimated %.5g", name, field, want, got)
		}
		compared++
	}
	return compared
}

// TestPriorIsChecked: whatever the size, components give statistics that a choice
// accepts.
func TestPriorIsChecked(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := uint64(math.Exp2(rapid.Float64Range(0, 40).Draw(r, "log2 updates")))
		k := uint64(math.Exp2(rapid.Float64Range(0, 32).Draw(r, "log2 targets")))
		lanes := rapid.SampledFrom([]int{32, 64}).Draw(r, "lanes")
		for _, of := range components {
			var s collision.Stats
			of.stats(n, k, lanes, 256, &s)
			if err := model.CheckStats(&s, lanes); err != nil {
				r.Fatalf("%+v: %v: %+v", of, err, s)
			}
		}
	})
}

// TestPriorSpansFamilies: what is drawn from all families of streams lies within what the
// components span, more than six times of seven.
func TestPriorSpansFamilies(t *testing.T) {
	inside, all := 0, 0
	for _, made := range tunertest.Drawn(t, 3, 150, synth.Ranges{NMin: 1 << 12, NMax: 1 << 15, KMax: 1 << 20}) {
		low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{}
		for _, of := range components {
			var s collision.Stats
			of.stats(made.Updates, made.Bins, 32, 256, &s)
			for i, v := range [2]float64{s.WarpLevel, s.DistinctPerWarp} {
				low[i], high[i] = min(low[i], v), max(high[i], v)
			}
		}
		for i, v := range [2]float64{made.WarpLevel, made.DistinctPerWarp} {
			if v >= 0.95*low[i] && v <= 1.05*high[i] {
				inside++
			}
			all++
		}
	}
	if inside <= all*6/7 {
		t.Errorf("%d of %d levels lie within what the components span", inside, all)
	}
}

// on returns a device with a chooser for it.
func on(t *testing.T, name string) (*device.Profile, *Chooser) {
	t.Helper()
	d := tunertest.Profile(t, name)
	c, err := New(d, Options{})
	tunertest.Must(t, err)
	return d, c
}

// TestPriorIsTheMean: without statistics, the time of an implementation is the mean of its closed
// form over the components, and a choice gains by statistics what it loses to the best in each.
func TestPriorIsTheMean(t *testing.T) {
	const updates, bins = 1 << 20, 4096
	d, c := on(t, "h200")
	e, err := c.withoutStats(updates, bins)
	tunertest.Must(t, err)
	sum, least, n := make([]float64, len(e.mean)), 0.0, float64(len(components))
	for _, k := range components {
		var s collision.Stats
		k.stats(updates, bins, 32, blockSize, &s)
		best := math.Inf(1)
		for i, v := range c.prices.List {
			cost, err := speedup.Predict(v, &s, d, device.Call{})
			if err != nil || !slices.Contains(c.places, i) {
				continue
			}
			sum[i] += cost.US
			best = min(best, cost.US)
		}
		least += best
	}
	compared := 0
	for i, us := range e.mean {
		if math.IsInf(us, 1) || c.prices.List[i].NeedsGrouped() {
			continue
		}
		compared++
		if math.Abs(sum[i]/n/us-1) > 1e-9 || us < e.low[i] || us > e.high[i] {
			t.Errorf("%s: %v us, the mean of the components is %v", c.prices.List[i], us, sum[i]/n)
		}
	}
	if compared < 10 || math.Abs(e.gain-(e.mean[e.best]-least/n)) > 1e-9*e.mean[e.best] {
		t.Errorf("%d implementations; a gain of %v us, want %v", compared, e.gain,
			e.mean[e.best]-least/n)
	}
}

// TestLookingPays: over the kinds of streams, the expected time of all launches
// and of looking together is never above that of always looking, nor of never.
// The times are worked out anew, by Choose for each implementation alone.
func TestLookingPays(t *testing.T) {
	d, c := on(t, "c2075")
	sampled, passed := 0, 0
	for _, n := range []uint64{1, 1 << 8, 1 << 14, 1 << 20, 1 << 26} {
		for _, k := range []uint64{1, 64, 1 << 14, 1 << 24} {
			fixed, best := meanTimes(t, d, c, n, k)
			for _, launches := range []int{1, 10, 10000, math.MaxInt} {
				for _, cost := range []float64{0, 50, 1e4} {
					budget := SamplingBudget{Calls: launches, CostUS: cost}
					l, err := c.Worth(n, k, budget)
					tunertest.Must(t, err)
					always := float64(launches)*best + budget.cost(n, firstBlocks)
					never := float64(launches) * fixed
					expected := never
					if l.Sampled {
						expected = always
						sampled++
					} else {
						passed++
					}
					if expected > min(always, never)*(1+1e-9) {
						t.Errorf("%d updates of %d targets, %+v: %v us, always %v us, never %v us", n, k, budget,
							expected, always, never)
					}
				}
			}
		}
	}
	if sampled < 20 || passed < 20 {
		t.Errorf("sampled %d times, did not sample %d times: want some of each", sampled, passed)
	}
}

// meanTimes returns the mean over the kinds of the time of the best fixed
// implementation, and of the least time, segreduce left out.
func meanTimes(t *testing.T, d *device.Profile, c *Chooser, n, k uint64) (fixed, best float64) {
	t.Helper()
	means := make([]float64, len(c.prices.List))
	for _, of := range components {
		var s collision.Stats
		of.stats(n, k, 32, blockSize, &s)
		least := math.Inf(1)
		for i, v := range c.prices.List {
			us := math.Inf(1)
			if !v.NeedsGrouped() && c.prices.Bundle.Check(&s, i) == nil {
				cost, err := c.prices.Explain(&s, i, device.Launch{})
				tunertest.Must(t, err)
				us = cost.US
				if v.OnHost() {
					us += d.Host.Relayout.Value / 1e3 * float64(n)
				}
			}
			means[i] += us / float64(len(components))
			least = min(least, us)
		}
		best += least / float64(len(components))
	}
	return slices.Min(means), best
}

// TestDoubt: a sample without half-widths leaves no doubt, and wider ones leave
// no less.
func TestDoubt(t *testing.T) {
	_, c := on(t, "h200")
	var s collision.Stats
	component{0.1, 1, 1, 0}.stats(1<<22, 1<<12, 32, blockSize, &s)
	doubts := []float64{}
	for _, width := range []float64{0, 0.1, 1, 4, 20} {
		s.Sampled = &collision.Sampling{
			Blocks: 16, TotalBlocks: 1 << 14, MaxFrequencyLow: 1,
			HalfWidth: collision.HalfWidths{
				WarpLevel: 0.02 * width, DistinctPerWarp: width, SectorPassesPerWarp4: width, SectorsPerWarp4: width,
				MaxFrequency: 5e4 * width, BankLanes: width, BlockLevel: 0.01 * width,
				DistinctPerBlock: 8 * width,
			},
		}
		doubts = append(doubts, c.gainOfMore(&s))
	}
	if doubts[0] != 0 || doubts[len(doubts)-1] <= 0 {
		t.Errorf("doubts %v: want none and then some", doubts)
	}
	for _, by := range []float64{-0.5, 0.5} {
		if m := s.Shifted(by); m.Check() != nil {
			t.Errorf("shifted by %v: %v", by, m.Check())
		}
	}
}

// TestTieBand: the band is wider than what two measurements on one start lie apart for half of all
// calls, and not so wide that it holds nearly all. Two medians of five times differ in half of the
// cases by 0.22 of the range of five, where the times are normal. Calls of one start alone show
// that: starts add to it, as the README of package h200 says.
func TestTieBand(t *testing.T) {
	const apartOfRange, repeats = 0.22, 5
	calls, err := h200.Fresh.Calls()
	if err != nil {
		t.Fatal(err)
	}
	var apart []float64
	for _, c := range calls {
		if c.Origin == recordings.Measured && c.Repeats == repeats {
			apart = append(apart, apartOfRange*(c.MaxUS-c.MinUS)/c.MedianUS)
		}
	}
	if len(apart) < 10_000 {
		t.Fatalf("only %d calls", len(apart))
	}
	slices.Sort(apart)
	half, most := quantile.Sorted(apart, 0.5), quantile.Sorted(apart, 0.9)
	if !(half > 0.01 && half < TieBand) || most < TieBand {
		t.Errorf("times of half of the calls lie within %v of each other, of nine in ten within %v; "+
			"the band is %v", half, most, TieBand)
	}
}
