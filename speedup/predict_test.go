package speedup

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"pgregory.net/rapid"
)

func builtin(t testing.TB, name string) *device.Profile {
	t.Helper()
	d, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func parse(t testing.TB, name string) impl.Spec {
	t.Helper()
	v, err := impl.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// priced is the price of a call with its phases and their bounds by name: "update", "update memory".
func priced(t testing.TB, name string, s *collision.Stats, d *device.Profile, c device.Call) (Cost, map[string]float64) {
	t.Helper()
	cost, err := Predict(parse(t, name), s, d, c)
	if err != nil {
		t.Fatal(name, c, err)
	}
	return cost, partsOf(cost)
}

func partsOf(cost Cost) map[string]float64 {
	of := map[string]float64{}
	for _, p := range cost.Phases {
		of[p.Name] = p.US
		for _, b := range p.Bounds {
			of[p.Name+" "+b.Bound] = b.US
		}
	}
	return of
}

// calls are all kinds of call.
func calls() (list []device.Call) {
	for _, typ := range device.Types() {
		for _, op := range []device.Operand{device.Loaded, device.One} {
			for _, returns := range []bool{false, true} {
				list = append(list, device.Call{Type: typ, Operand: op, Returns: returns},
					device.Call{Type: typ, Operand: op, Returns: returns, Keeps: true})
			}
		}
	}
	return list
}

// drawFactor returns how much a stream is stretched.
func drawFactor(t *rapid.T) uint64 { return 1 << rapid.IntRange(0, 40).Draw(t, "factor") }

// drawShort returns what drawRandom does, or the statistics of a stream that counts up.
func drawShort(t *rapid.T, warp int) collision.Stats {
	if !rapid.Bool().Draw(t, "ramp") {
		return drawRandom(t, warp)
	}
	bins := rapid.Uint32Range(1, 5000).Draw(t, "bins")
	stream := make([]uint32, rapid.IntRange(1, 2000).Draw(t, "n"))
	for i := range stream {
		stream[i] = uint32(i) % bins
	}
	return tabled(stream, uint64(bins), warp)
}

// drawRandom returns the statistics of a random stream.
func drawRandom(t *rapid.T, warp int) collision.Stats {
	bins := rapid.Uint32Range(1, 1<<27).Draw(t, "bins")
	hot := rapid.Uint32Range(0, bins-1).Draw(t, "hot")
	share := rapid.IntRange(0, 10).Draw(t, "share")
	run := rapid.IntRange(1, 80).Draw(t, "run")
	n := rapid.IntRange(1, 2000).Draw(t, "n")
	if rapid.Bool().Draw(t, "full") {
		n = (n + warp - 1) / warp * warp // no partial warp
	}
	stream := uniform(n, bins, rapid.Uint64().Draw(t, "seed"))
	sorted := rapid.Bool().Draw(t, "sorted")
	for i := range stream {
		stream[i] = stream[i/run*run]
		switch {
		case int(stream[i]%10) < share:
			stream[i] = hot
		case sorted:
			stream[i] = uint32(uint64(i) * uint64(bins) / uint64(len(stream)) / uint64(run) * uint64(run))
		}
	}
	return tabled(stream, uint64(bins), warp)
}

// TestPricesAgree: whatever the device, call, stream and launch, the price of an implementation in a bundle
// is that alone, and explained it is the same sum of phases. What the device cannot run or launch has no
// price. To fix the launch of the rule changes no price by a bit, and no price is below the floor.
func TestPricesAgree(t *testing.T) {
	checked := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		d, err := device.Builtin(rapid.SampledFrom(device.Names()).Draw(t, "device"))
		if err != nil {
			t.Fatal(err)
		}
		s := drawShort(t, int(d.Core.WarpLanes.Value))
		grows, factor := rapid.Bool().Draw(t, "grows"), drawFactor(t)
		if grows {
			s = scale(s, factor)
		} else {
			s = repeated(s, factor)
		}
		c := rapid.SampledFrom(calls()).Draw(t, "call")
		list := rapid.Permutation(runnable(d, c)).Draw(t, "order")
		all, err := CompileAll(list, d, c)
		if err != nil {
			t.Fatal(err)
		}
		fixed := drawLaunch(t, d)
		launched, err := all.Launched(fixed)
		if err != nil {
			t.Fatal(err)
		}
		us, under := make([]float64, len(list)), make([]float64, len(list))
		all.US(&s, us)
		launched.US(&s, under)
		floor := all.Floor(&s).US * (1 - 1e-9) // sums in another order round otherwise
		for i, v := range list {
			m, err := Compile(v, d, c)
			if err != nil {
				t.Fatal(err)
			}
			if alone := m.US(&s); alone != us[i] {
				t.Fatalf("%s: the bundle says %v us, the model %v", v, us[i], alone)
			}
			cost, err := Predict(v, &s, d, c)
			checkCost(t, v, us[i], cost, err)
			cost, errUnder := launched.Explain(&s, i)
			checkCost(t, v, under[i], cost, errUnder)
			if errUnder != nil {
				checked["refused in a launch"]++
			}
			if err != nil {
				checked["refused"]++
				continue
			}
			checked["priced"]++
			shape := d.Limits().Shape(v, c, s.Bins, s.Updates, device.Launch{})
			rule := device.Launch{Blocks: shape.Blocks, Threads: shape.Threads, Unroll: shape.Unroll}
			ruled, err := m.b.Launched(rule)
			if err != nil {
				t.Fatal(err)
			}
			if got := (&Model{ruled}).US(&s); got != us[i] {
				t.Fatalf("%s on %s: %v us in launch %v, %v us by the rule", v, d.Name, got, rule, us[i])
			}
			if !grows && us[i] < floor {
				t.Fatalf("%s on %s %+v: %v us, floor %+v", v, d.Name, c, us[i], floor)
			}
		}
	})
	if checked["priced"] < cases(500) || checked["refused"] == 0 || checked["refused in a launch"] == 0 {
		t.Errorf("checked %v", checked)
	}
}

// TestMostTargets: the largest number of targets that an implementation is priced for is what the device can
// run and launch.
func TestMostTargets(t *testing.T) {
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		d, err := device.Builtin(rapid.SampledFrom(device.Names()).Draw(t, "device"))
		if err != nil {
			t.Fatal(err)
		}
		c := device.Call{Type: rapid.SampledFrom(device.Types()).Draw(t, "type")}
		fixed, list := drawLaunch(t, d), runnable(d, c)
		all, err := CompileAll(list, d, c)
		if err == nil {
			all, err = all.Launched(fixed)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range list {
			can := func(bins uint64) bool {
				return d.CanRun(v, c.Type, bins) == nil && d.CanLaunch(v, c.Type, bins, fixed) == nil
			}
			most := all.list[i].bins
			if most > 0 && !can(most) || most < 1<<32 && can(most+1) {
				t.Fatalf("%s %s on %s: not %d targets at most", v, c.Type, d.Name, most)
			}
			checked++
		}
	})
	if checked < cases(500) {
		t.Errorf("checked %d", checked)
	}
}

// runnable are the candidates, and some with parameters of reductions, that can be compiled for a call.
func runnable(d *device.Profile, c device.Call) (list []impl.Spec) {
	for _, v := range append(candidates(), impl.Spec{Reduction: impl.VR, Threshold: 4},
		impl.Spec{Reduction: impl.VR, Threshold: 4, Samples: 8},
		impl.Spec{Algorithm: impl.Private, Reduction: impl.SR, Threshold: 5}) {
		if _, err := Compile(v, d, c); err == nil {
			list = append(list, v)
		}
	}
	return list
}

// drawLaunch returns the rule, or a launch that fixes some of it.
func drawLaunch(t *rapid.T, d *device.Profile) device.Launch {
	l := d.Limits()
	warps := rapid.IntRange(0, l.MaxThreadsPerBlock/l.WarpLanes).Draw(t, "warps")
	return device.Launch{Blocks: rapid.Uint64Range(0, 9000).Draw(t, "blocks"),
		Threads: warps * l.WarpLanes, Unroll: rapid.SampledFrom([]int{0, 1, 2, 4, 8}).Draw(t, "unroll")}
}

// cases is how many cases of properties there are at least: -short draws a fifth.
func cases(n int) int {
	if !golden.Full() {
		return n / 5
	}
	return n
}

// candidates are those of the choice and some that it does not rank.
func candidates() []impl.Spec {
	list := impl.Candidates()
	for _, v := range []impl.Spec{
		{Algorithm: impl.Private, Reduction: impl.Peers},
		{Algorithm: impl.Private, Replicas: 8, Map: impl.Block},
		{Algorithm: impl.Private, Replicas: 64},
		{Algorithm: impl.Private, Replicas: 3, Pad: 2},
		{Algorithm: impl.Private, Replicas: 32, Map: impl.Block, Pad: 1},
		{Algorithm: impl.Private, Ranges: 2},
		{Algorithm: impl.Private, Reduction: impl.Match, Replicas: 3, Pad: 1, Ranges: 8},
		{Algorithm: impl.Hot, Slots: 64, Replicas: 32},
		{Algorithm: impl.Hot, Slots: 2048, Reduction: impl.SR},
		{Algorithm: impl.Hot, Slots: 256, Replicas: 4, Sample: 2048},
		{Algorithm: impl.Partition, Width: 32768},
		{Algorithm: impl.Partition, Width: 256, Replicas: 2},
	} {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// checkCost holds an explained price, or that there is none, to the price in short.
func checkCost(t *rapid.T, v impl.Spec, us float64, cost Cost, err error) {
	if math.IsInf(us, 1) != (err != nil) {
		t.Fatalf("%s: US is %v, explained %v", v, us, err)
	}
	if err != nil {
		return
	}
	sum := 0.0
	for _, p := range cost.Phases {
		sum += p.US
		if len(p.Bounds) == 0 || p.Bounds[0].Bound != p.Bottleneck || p.Bounds[0].US != p.US {
			t.Fatalf("%s: phase %+v", v, p)
		}
		for _, b := range p.Bounds {
			if !(b.US >= 0 && b.US <= p.US) || b.Bound == "" {
				t.Fatalf("%s %s: bound %+v", v, p.Name, b)
			}
		}
	}
	switch {
	case us != cost.US || !(us > 0) || math.IsInf(us, 0):
		t.Fatalf("%s: US is %v, Predict %v", v, us, cost.US)
	case math.Abs(sum-us) > 1e-12*us:
		t.Fatalf("%s: phases add up to %v, US is %v", v, sum, us)
	}
	longest := slices.MaxFunc(cost.Phases, func(a, b Phase) int { return cmp.Compare(a.US, b.US) })
	if cost.Bottleneck == "" || longest.Bottleneck != cost.Bottleneck {
		t.Fatalf("%s: binding %q, the longest phase is %+v", v, cost.Bottleneck, longest)
	}
}

func TestLongerStreamsTakeLonger(t *testing.T) {
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		d, err := device.Builtin(rapid.SampledFrom(device.Names()).Draw(t, "device"))
		if err != nil {
			t.Fatal(err)
		}
		s := scale(drawRandom(t, int(d.Core.WarpLanes.Value)), drawFactor(t))
		if s.Updates%uint64(s.WarpSize) != 0 {
			t.Skip("a longer stream would fill its last warp, which can make a reduction pay")
		}
		longer := scale(s, 2)
		c := rapid.SampledFrom(calls()).Draw(t, "call")
		for _, v := range candidates() {
			m, err := Compile(v, d, c)
			if err != nil || m.Check(&s) != nil || m.Check(&longer) != nil {
				continue
			}
			if leavesOut(v, d, c.Type, &s) {
				continue // a longer stream may have as many blocks for each range and leave none out
			}
			if v.Algorithm == impl.Partition && s.Updates < 2*impl.BucketStep*v.Buckets(s.Bins) {
				continue // ranges are cut in steps of updates, of which one has few
			}
			slack := 1e-12
			switch {
			case v.G() > 1 || v.Sample > 0:
				slack = 1e-2 // where more targets occur, warps meet less in several iterations, and samples
			case v.Algorithm == impl.Partition:
				slack = 5e-2 // and in a part, of which a short call has few iterations
			}
			if one, two := m.US(&s), m.US(&longer); two < one*(1-slack) {
				t.Fatalf("%s %+v on %s: %v us for %d updates, %v us for twice as many", v, c, d.Name, one, s.Updates, two)
			}
			checked++
		}
	})
	if checked < cases(500) {
		t.Errorf("checked %d pairs", checked)
	}
}

// leavesOut reports whether a launch has fewer blocks than there are updates for, since each range of
// targets has as many.
func leavesOut(v impl.Spec, d *device.Profile, t device.Type, s *collision.Stats) bool {
	if v.G() == 1 {
		return false
	}
	l := d.Limits()
	of := l.Shape(v, device.Call{Type: t}, s.Bins, s.Updates, device.Launch{})
	needed := (s.Updates + uint64(of.Threads) - 1) / uint64(of.Threads)
	return of.Blocks < min(needed, uint64(of.BlocksPerSM*l.SMs))
}

func TestErrors(t *testing.T) {
	good := measure(uniform(4096, 100000, 1), 100000, 32)
	change := func(f func(*collision.Stats)) *collision.Stats { s := good; f(&s); return &s }
	for _, c := range []struct {
		impl, device string
		stats        *collision.Stats
		call         device.Call
		want         error
	}{
		{"private", "h200", &good, device.Call{}, device.ErrCannot},
		{"threadprivate", "h200", &good, device.Call{}, device.ErrCannot},
		{"match", "gtx580", &good, device.Call{}, device.ErrCannot},
		{"coordinator", "h200", &good, device.Call{}, device.ErrCannot},
		{"segreduce", "h200", &good, device.Call{}, ErrNotGrouped},
		{"private+sr", "h200", &good, device.Call{Returns: true}, device.ErrCannot},
		{"private:ranges=2", "h200", &good, device.Call{Returns: true}, device.ErrCannot},
		{"sort", "h200", &good, device.Call{Returns: true}, device.ErrCannot},
		{"naive", "hd5870", &good, device.Call{}, collision.ErrStats},
		{"naive", "h200", &good, device.Call{Type: 99}, device.ErrType},
		{"naive", "h200", &collision.Stats{}, device.Call{}, collision.ErrStats},
		{"naive", "h200", change(func(s *collision.Stats) { s.Unique = s.Bins + 1 }), device.Call{}, collision.ErrStats},
		{"naive", "h200", change(func(s *collision.Stats) { s.WarpLevel = math.NaN() }), device.Call{}, collision.ErrStats},
		{"naive", "h200", change(func(s *collision.Stats) { s.SectorsPerWarp4 = math.Inf(1) }), device.Call{}, collision.ErrStats},
		{"naive", "h200", change(func(s *collision.Stats) { s.BankLanes = -1 }), device.Call{}, collision.ErrStats},
		{"naive", "h200", change(func(s *collision.Stats) { s.ClusteredFraction = 1.5 }), device.Call{}, collision.ErrStats},
		{"naive", "h200", change(func(s *collision.Stats) { s.BlockSize = 0 }), device.Call{}, collision.ErrStats},
	} {
		cost, err := Predict(parse(t, c.impl), c.stats, builtin(t, c.device), c.call)
		if !errors.Is(err, c.want) || cost.US != 0 {
			t.Errorf("%s on %s %+v: %v us, error %v; want %v", c.impl, c.device, c.call, cost.US, err, c.want)
		}
	}
	if _, err := Predict(impl.Spec{Scatter: true, Algorithm: impl.Sort}, &good, builtin(t, "h200"), device.Call{}); !errors.Is(err, impl.ErrName) {
		t.Errorf("an implementation that does not exist: %v", err)
	}
}

// TestKeptTargets: without the clearing, calls start with the first launch, and take longer only
// where sums are added to the targets in place of stored.
func TestKeptTargets(t *testing.T) {
	s := scale(measure(uniform(4096, 1<<20, 1), 1<<20, 32), 1<<8)
	small := scale(measure(uniform(4096, 100, 1), 100, 32), 1<<8)
	for _, name := range []string{"h200", "gtx680", "c2075"} {
		d, checked := builtin(t, name), 0
		for _, v := range candidates() {
			for _, s := range []*collision.Stats{&s, &small} {
				cleared, err := Predict(v, s, d, device.Call{})
				if err != nil {
					continue
				}
				kept, err := Predict(v, s, d, device.Call{Keeps: true})
				if err != nil {
					t.Fatal(err)
				}
				if slices.ContainsFunc(kept.Phases, func(p Phase) bool { return p.Name == "clear" }) {
					t.Errorf("%s on %s clears targets that are to be kept", v, name)
				}
				bytes, saved := 4*float64(s.Bins), cleared.US-kept.US
				least := d.Launch.Next.Value
				if bytes <= d.Launch.ClearFree.Value || v.Algorithm == impl.Coordinator {
					least = 0 // no launch clears the targets, or one clears the protocol
				}
				stores := !v.UsesAtomics() || v.Algorithm == impl.Partition // of sums, which then are added
				if !stores && saved < least*(1-1e-9) || saved > cleared.US/2 {
					t.Errorf("%s on %s: %v us cleared, %v kept", v, name, cleared.US, kept.US)
				}
				checked++
			}
		}
		if checked < 20 {
			t.Errorf("%s: %d calls checked", name, checked)
		}
	}
}

func TestReturnsCostMore(t *testing.T) {
	h200, checked := builtin(t, "h200"), 0
	s := scale(measure(uniform(4096, 1000, 1), 1000, 32), 1<<12)
	for _, v := range candidates() {
		with, err := Predict(v, &s, h200, device.Call{Returns: true})
		if err != nil {
			continue
		}
		without, err := Predict(v, &s, h200, device.Call{})
		if err != nil || with.US < without.US {
			t.Errorf("%s: %v us with old values, %v without, %v", v, with.US, without.US, err)
		}
		checked++
	}
	if checked < 10 {
		t.Errorf("%d implementations return old values", checked)
	}
}
