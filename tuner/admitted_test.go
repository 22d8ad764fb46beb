package tuner_test

import (
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// TestAdmitted: a ranking holds what can run on the stream and what the options admit, what they do not
// admit is listed as left out, and nothing else is, with a look at the stream and without.
func TestAdmitted(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	const once, twice, few, sorted = "permuted:n=4096,k=4096", "uniform:n=4096,k=4096", "uniform:n=20000,k=64",
		"sorted:n=20000,k=64"
	every, none := func(impl.Spec) bool { return true }, func(impl.Spec) bool { return false }
	nonAtomic := func(v impl.Spec) bool { return !v.UsesAtomics() }
	repeats := func(typ device.Type, op device.Op, returns bool) tuner.Options {
		return tuner.Options{Call: device.Call{Type: typ, Op: op, Returns: returns}, Deterministic: true}
	}
	type question struct {
		stream string
		o      tuner.Options
		admits func(impl.Spec) bool
	}
	questions := []question{
		{few, tuner.Options{}, every},
		{sorted, tuner.Options{}, every},
		{"uniform:n=10000,k=1000000", tuner.Options{}, every},
		{few, tuner.Options{Call: device.Call{Returns: true}}, every},
		{few, tuner.Options{Call: device.Call{Type: device.F32, Op: device.Mad}}, every},
		{few, tuner.Options{Call: device.Call{Type: device.F32, Op: device.Div}}, every},
		{few, tuner.Options{Only: []impl.Spec{{}, {Algorithm: impl.Sort}}}, every},
		{few, tuner.Options{Exclude: []impl.Spec{{}}}, func(v impl.Spec) bool { return !v.IsNaive() }},
		{sorted, tuner.Options{NoSort: true}, func(v impl.Spec) bool { return v.Algorithm != impl.Sort && !v.Scatter }},
		// The order of updates shows nowhere with integers, with extremes, and where each target occurs once.
		{twice, repeats(device.U32, device.Add, false), every},
		{twice, repeats(device.F32, device.Add, false), nonAtomic},
		{twice, repeats(device.F64, device.Mul, false), nonAtomic},
		{twice, repeats(device.F64, device.Min, false), every},
		{twice, repeats(device.F32, device.Max, false), every},
		{twice, repeats(device.U32, device.Add, true), none},
		{twice, repeats(device.F32, device.Max, true), none},
		{once, repeats(device.F32, device.Add, false), every},
		{once, repeats(device.F32, device.Add, true), every},
	}
	need := func(v impl.Spec) uint64 {
		s := tunertest.Analyze(t, sorted)
		return tuner.ScratchBytes(t, v, d, device.Call{}, s.Updates, s.Bins, false)
	}
	for _, v := range []impl.Spec{{Algorithm: impl.ThreadPrivate}, {Scatter: true}, {Algorithm: impl.Sort}} {
		for _, bytes := range []uint64{1, need(v) - 1, need(v)} {
			questions = append(questions, question{sorted, tuner.Options{MemoryBytes: bytes},
				func(v impl.Spec) bool { return need(v) <= bytes }})
		}
	}
	for _, q := range questions {
		s := tunertest.Analyze(t, q.stream)
		list := q.o.Only
		if list == nil {
			list = d.Ranked()
		}
		var want, without []impl.Spec
		for _, v := range list {
			switch runs := speedup.Check(v, d, q.o.Call) == nil && d.CanCall(v, q.o.Call, s.Bins) == nil &&
				v.Worthwhile(s.Bins, q.o.Call.Type.Bytes()) && (!v.NeedsGrouped() || s.Grouped()); {
			case runs && q.admits(v):
				want = append(want, v)
			case runs:
				without = append(without, v)
			}
		}
		c := chooser(t, d, q.o)
		got := agree(t, c, s, d, q.o)
		if len(want) == 0 || got == nil {
			if len(want) > 0 || got != nil {
				t.Errorf("%s, %+v: %+v, want %v", q.stream, q.o, got, want)
			}
			continue
		}
		same(t, q.o, got, want, without)
		for _, r := range got.Ranking {
			if bytes := tuner.ScratchBytes(t, r.Implementation, d, q.o.Call, s.Updates, s.Bins, false); r.MemoryBytes != bytes {
				t.Errorf("%s: %d bytes, want %d", r.Implementation, r.MemoryBytes, bytes)
			}
		}
		if s.Grouped() || q.o.Deterministic {
			continue // nothing is known of that without a look, nor of hot targets
		}
		prior, err := tuner.ChooseSampled(make([]uint32, s.Updates), s.Bins, d, q.o, tuner.SamplingBudget{CostUS: 1e12})
		tunertest.Must(t, err)
		want = slices.DeleteFunc(want, func(v impl.Spec) bool { return v.Slots > 0 })
		same(t, q.o, &prior, want, without)
	}
}

// same holds the ranking of a decision, and what it leaves out, to lists in any order.
func same(t *testing.T, o tuner.Options, d *tuner.Decision, ranked, without []impl.Spec) {
	t.Helper()
	order := func(list []impl.Spec) []string {
		var names []string
		for _, v := range list {
			names = append(names, v.String())
		}
		slices.Sort(names)
		return names
	}
	var have, left []impl.Spec
	for _, r := range d.Ranking {
		have = append(have, r.Implementation)
	}
	for _, l := range d.LeftOut {
		left = append(left, l.Implementation)
	}
	if !slices.Equal(order(have), order(ranked)) || !slices.Equal(order(left), order(without)) {
		t.Errorf("%+v: %v are ranked, want %v; %v are left out, want %v", o, have, ranked, left, without)
	}
}

// TestSizedImplementations: tables of hot targets are ranked on every device.
func TestSizedImplementations(t *testing.T) {
	s := tunertest.Analyze(t, "uniform:n=20000,k=4096")
	for _, name := range []string{"h200", "h100", "gtx580", "gtx680"} {
		got := choose(t, s, tunertest.Profile(t, name), tuner.Options{})
		if !ranks(got, func(v impl.Spec) bool { return v.Slots > 0 }) {
			t.Errorf("%s: no table is ranked", name)
		}
	}
}

// TestScanOfBlocks: a scan of blocks is ranked, and chosen where updates are loops and runs are long.
func TestScanOfBlocks(t *testing.T) {
	blocks := impl.Spec{Reduction: impl.SR, Scope: impl.BlockScope}
	for _, c := range []struct {
		device string
		call   device.Call
		stream string
		chosen bool
	}{
		{"gtx980", device.Call{Type: device.F64}, "runs:n=131072,k=65536,seed=1,len=256", true},
		{"gtx980", device.Call{Type: device.F64}, "uniform:n=131072,k=65536,seed=1", false},
		{"h200", device.Call{Type: device.F32, Op: device.Mul}, "runs:n=131072,k=65536,seed=1,len=256", true},
		{"h200", device.Call{Type: device.F32}, "runs:n=131072,k=65536,seed=1,len=256", false},
		{"gtx680", device.Call{Type: device.F32}, "runs:n=131072,k=65536,seed=1,len=256", false},
	} {
		s, d := tunertest.Analyze(t, c.stream), tunertest.Profile(t, c.device)
		o := tuner.Options{Call: c.call}
		if got := choose(t, s, d, o).Choice.Implementation; (got == blocks) != c.chosen {
			t.Errorf("%s, %s: %s is chosen", c.device, c.stream, got)
		}
		if _, ranked := rowsOf(t, d, s, o)[blocks]; !ranked {
			t.Errorf("%s, %s: it is not ranked", c.device, c.stream)
		}
	}
}

// TestMasksByHash: masks by a hash are ranked where it has no match instruction, and chosen, but for a tie with
// plain atomics, where the warps have many targets, and several updates of some.
func TestMasksByHash(t *testing.T) {
	v := impl.Spec{Reduction: impl.Peers, Masks: impl.Hash}
	for _, c := range []struct {
		device, stream string
		ranked, chosen bool
	}{
		{"c2075", "cells:n=131072,k=16384,seed=1", true, true},
		{"gtx680", "cells:n=131072,k=16384,seed=1", true, true},
		{"gtx980", "cells:n=131072,k=16384,seed=1", true, true},
		{"gtx980", "runs:n=131072,k=65536,seed=1,len=256", true, false},
		{"h200", "cells:n=131072,k=16384,seed=1", false, false},
	} {
		s, d := tunertest.Analyze(t, c.stream), tunertest.Profile(t, c.device)
		got := choose(t, s, d, tuner.Options{Call: device.Call{Type: device.F64}})
		ranked := ranks(got, func(other impl.Spec) bool { return other == v })
		if chosen := got.Choice.Implementation == v || slices.Contains(got.Ties, v); ranked != c.ranked || chosen != c.chosen {
			t.Errorf("%s, %s: %s ranked %t, %s chosen", c.device, c.stream, v, ranked, got.Choice.Implementation)
		}
	}
}

// TestRepeatsUnknown: of a stream that is sampled, or of which the size alone is known, nobody says that
// each target occurs once, nor that it is grouped.
func TestRepeatsUnknown(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	o := tuner.Options{Call: device.Call{Type: device.F32}, Deterministic: true}
	indices := make([]uint32, 1<<16)
	for i := range indices {
		indices[i] = uint32(i)
	}
	for _, n := range []int{5, len(indices)} {
		got, err := tuner.ChooseSampled(indices[:n], 1<<24, d, o, tuner.SamplingBudget{Calls: 1})
		if err != nil || got.Sampling.Sampled || ranks(got, impl.Spec.UsesAtomics) {
			t.Errorf("%d updates: %+v, %v, want no atomics and no sample", n, got.Ranking, err)
		}
	}
	grouped := tuner.Options{Only: []impl.Spec{{Algorithm: impl.SegReduce}}}
	for sample, whole := range map[int]bool{0: true, 8: false, 256: true} {
		s, err := collision.Analyze(indices, collision.Options{Bins: 1 << 16, Sample: sample})
		tunertest.Must(t, err)
		if got := choose(t, &s, d, o); ranks(got, impl.Spec.UsesAtomics) != whole {
			t.Errorf("a sample of %d blocks: %+v", sample, got.Ranking)
		}
		if got := agree(t, chooser(t, d, grouped), &s, d, grouped); (got != nil) != whole {
			t.Errorf("a sample of %d blocks: %+v of a grouped stream", sample, got)
		}
	}
}

// TestScratchBytes works the formulas out by hand for a stream of 2^20 updates.
func TestScratchBytes(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	const n = 1 << 20
	f64, ones := device.Call{Type: device.F64}, device.Call{Type: device.U64, Operand: device.One}
	tiles := uint64(n / (256 * 16))
	for _, c := range []struct {
		name   string
		call   device.Call
		bins   uint64
		relaid bool
		want   uint64
	}{
		{"naive", f64, 256, false, 0},
		{"match", f64, 256, false, 0},
		{"private:r=4,pad=1", f64, 256, false, 0},
		{"ss", f64, 256, false, n * 12},
		{"ss", f64, 256, true, 0},
		{"sr+ss", ones, 256, false, n * 4},
		{"sort", device.Call{}, 256, false, n*8 + n*8 + 4},
		{"sort", device.Call{}, 1 << 24, false, 2*n*8 + 1024*(3+tiles)},
		{"sort", ones, 1 << 24, false, n*4 + n*8 + 4},
		{"segreduce", f64, 256, false, n*12 + 4},
		{"threadprivate", device.Call{}, 16, false,
			16 * 4 * d.Limits().Shape(impl.Spec{Algorithm: impl.ThreadPrivate}, device.Call{Type: device.U32}, 16,
				n, device.Launch{}).Blocks},
	} {
		v, err := impl.Parse(c.name)
		tunertest.Must(t, err)
		if got := tuner.ScratchBytes(t, v, d, c.call, n, c.bins, c.relaid); got != c.want {
			t.Errorf("%s of %s, %d targets: %d bytes, want %d", c.name, c.call.Type, c.bins, got, c.want)
		}
	}
	// One slot per workgroup and one for the coordinator, in words, six times.
	amd := tunertest.Profile(t, "hd5870")
	if got, want := tuner.ScratchBytes(t, impl.Spec{Algorithm: impl.Coordinator}, amd,
		device.Call{}, 64*100, 64, false), uint64(6*512); got != want {
		t.Errorf("coordinator: %d bytes, want %d", got, want)
	}
	if got := tuner.ScratchBytes(t, impl.Spec{Algorithm: impl.Sort}, d, f64, math.MaxUint64, 1<<32,
		false); got < math.MaxUint64>>8 {
		t.Errorf("the longest stream: %d bytes", got)
	}
}

// TestCheckKept: a choice from before serves a call unless the device or an option is against it.
func TestCheckKept(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	f32 := device.Call{Type: device.F32}
	launch := device.Launch{Blocks: 132, Threads: 1024, Unroll: 4}
	for _, c := range []struct {
		name   string
		launch device.Launch
		o      tuner.Options
		may    bool
	}{
		{"private:r=4,pad=1", launch, tuner.Options{Call: f32}, true},
		{"hot:s=1024,r=8,sample=2048", device.Launch{}, tuner.Options{Call: f32}, true},
		{"sort", device.Launch{}, tuner.Options{Call: f32, MemoryBytes: 1 << 40}, true},
		{"private:r=4,pad=1", launch, tuner.Options{Call: f32, Launches: []device.Launch{launch}}, true},
		{"private:r=4,pad=1", launch, tuner.Options{Call: f32, Launches: []device.Launch{{Threads: 256}}}, false},
		{"private:r=4,pad=1", launch, tuner.Options{Call: f32, Deterministic: true}, false},
		{"naive", launch, tuner.Options{Exclude: []impl.Spec{{}}}, false},
		{"match", launch, tuner.Options{Only: []impl.Spec{{}}}, false},
		{"sort", device.Launch{}, tuner.Options{NoSort: true}, false},
		{"sort", device.Launch{}, tuner.Options{MemoryBytes: 1}, false},
		{"sort", device.Launch{}, tuner.Options{MemoryBytes: 1e6}, false},
		{"sort", launch, tuner.Options{}, false},
		{"sort", device.Launch{}, tuner.Options{Call: device.Call{Returns: true}}, false},
		{"segreduce", device.Launch{}, tuner.Options{}, false},
		{"coordinator", device.Launch{}, tuner.Options{}, false},
		{"naive", device.Launch{Blocks: 1, Threads: 2048}, tuner.Options{}, false},
		{"naive", launch, tuner.Options{Call: device.Call{Type: 9}}, false},
	} {
		v, err := impl.Parse(c.name)
		tunertest.Must(t, err)
		if err = tuner.CheckKept(v, c.launch, d, c.o, 1e6, 4096); (err == nil) != c.may {
			t.Errorf("%s %v, %+v: %v", c.name, c.launch, c.o, err)
		}
	}
}
