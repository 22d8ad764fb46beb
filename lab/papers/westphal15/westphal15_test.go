package westphal15

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/tuner"
)

// TestShiftedKeys: shifted keys are the ordered ones, moved by one cell in each
// direction with probability 1/2, all eight ways alike.
func TestShiftedKeys(t *testing.T) {
	o := papers.Options{Scale: 1 << 7, Seed: 9} // all particles
	ordered, err := orderedKeys.keys(o)
	if err != nil {
		t.Fatal(err)
	}
	shifted, err := shiftedKeys.keys(o)
	if err != nil {
		t.Fatal(err)
	}
	if len(ordered) != particles || len(shifted) != particles {
		t.Fatalf("%d and %d particles", len(ordered), len(shifted))
	}
	ways := map[uint32]int{}
	for i, key := range ordered {
		if key != uint32(i/10) {
			t.Fatalf("ordered particle %d is in cell %d", i, key)
		}
		ways[(shifted[i]+uint32(boxCells)-key)%uint32(boxCells)]++
	}
	for _, way := range []uint32{0, 1, 100, 101, 10_000, 10_001, 10_100, 10_101} {
		if n := ways[way]; n < particles/8-5000 || n > particles/8+5000 {
			t.Errorf("%d particles moved by %d cells, want about %d", n, way, particles/8)
		}
	}
	if len(ways) != 8 {
		t.Errorf("%d ways to move", len(ways))
	}
}

// TestPieces: a sample is made of stretches of whole warps from all of the stream.
func TestPieces(t *testing.T) {
	all := make([]uint32, 100_000)
	for i := range all {
		all[i] = uint32(i)
	}
	sample := pieces(all, 8192)
	jumps := 0
	for i, key := range sample {
		if i%1024 == 0 && key%1024 != 0 {
			t.Errorf("a stretch begins at %d", key)
		}
		if i > 0 && key != sample[i-1]+1 {
			jumps++
		}
	}
	if len(sample) != 8192 || jumps != boxPieces-1 || sample[8191] < 97_000 {
		t.Errorf("%d keys with %d jumps up to %d", len(sample), jumps, sample[len(sample)-1])
	}
	if got := pieces(all, len(all)+1); !slices.Equal(got, all) {
		t.Errorf("%d of %d keys", len(got), len(all))
	}
}

// TestSampled: a sample is whole warps of every stretch, whatever the scale, and of all
// particles at most.
func TestSampled(t *testing.T) {
	for scale, want := range map[float64]int{1e-12: 256, 1.0 / 300: 256, 1.0 / 100: 1280,
		1.0 / 2: boxSample / 2, 1: boxSample, 70: 70 * boxSample, 256: particles} {
		o := papers.Options{Scale: scale}
		if got := sampled(o); got != want {
			t.Errorf("scale %v: %d particles, want %d", scale, got, want)
		}
	}
}

// TestStepsDiscriminate plants a fault for each statement about a warp.
func TestStepsDiscriminate(t *testing.T) {
	trace := func() apps.PeersTrace {
		out, err := tracePeers(walkKeys, 4)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	all := followed{masks: 1, passes: 1, positions: 1, next: 1, away: 1, iterations: 1, sums: 1,
		adds: 1}
	var whole followed
	if whole.follow(walkKeys, trace()); whole != all {
		t.Fatalf("without a fault: %+v", whole)
	}
	for name, c := range map[string]struct {
		plant func(*apps.PeersTrace)
		count func(followed) int
	}{
		"masks": {func(p *apps.PeersTrace) { p.Peers[5] ^= 2 },
			func(h followed) int { return h.masks }},
		"turns": {func(p *apps.PeersTrace) { p.Matches = p.Matches[1:] },
			func(h followed) int { return h.passes }},
		"unclaimed": {func(p *apps.PeersTrace) { p.Matches[4].Remaining = 1 },
			func(h followed) int { return h.passes }},
		"positions": {func(p *apps.PeersTrace) { p.Position[31]-- },
			func(h followed) int { return h.positions }},
		"next": {func(p *apps.PeersTrace) { p.Steps[1].Next[0]++ },
			func(h followed) int { return h.next }},
		"away": {func(p *apps.PeersTrace) { p.Steps[2].Done &^= 1 << 9 },
			func(h followed) int { return h.away }},
		"iterations": {func(p *apps.PeersTrace) { p.Steps = p.Steps[:3] },
			func(h followed) int { return h.iterations }},
		"sums": {func(p *apps.PeersTrace) { p.Final[3] ^= 1 << 50 },
			func(h followed) int { return h.sums }},
		"adds": {func(p *apps.PeersTrace) { p.Position[2] = 0 },
			func(h followed) int { return h.adds }},
	} {
		p := trace()
		c.plant(&p)
		var h followed
		if h.follow(walkKeys, p); c.count(h) != 0 {
			t.Errorf("%s: the fault is not seen", name)
		}
	}
	var f findings
	f.stepRows(followed{})
	for _, r := range f.Rows {
		if r.Holds {
			t.Errorf("%s holds of no warp", r.Item)
		}
	}
	if len(f.Rows) != 9 {
		t.Errorf("%d rows", len(f.Rows))
	}
}

// TestPrintedListing: wrong masks of peers give wrong sums.
func TestPrintedListing(t *testing.T) {
	w := groupsOf(walkKeys)
	if !w.printedSums(1) {
		t.Error("the printed listing gives other sums")
	}
	w.lanes[3] &^= 1 << 9
	if w.printedSums(1) {
		t.Error("a lane left out of its peers is not missed")
	}
}

// TestRowsDiscriminate makes up times in which the simple atomic is the slowest
// where it should be the fastest, and the other way round.
func TestRowsDiscriminate(t *testing.T) {
	const note = "made up"
	slow, fast := [forms]float64{simple: 3, reduced: 1, masked: 1.2, keyed: 1.1, hashed: 2},
		[forms]float64{simple: 1, reduced: 2, masked: 3, keyed: 3, hashed: 2}
	box := func(v [forms]float64) boxTimes {
		all := boxTimes{}
		for _, name := range boxDevices {
			all[name] = map[string][forms]float64{randomKeys.name: v}
		}
		return all
	}
	rows := func(wins, suffices [forms]float64, double, near boxTimes, c maskCost, shares maskShares,
		single [forms]float64, growth ...float64) []papers.Row {
		var f findings
		f.reductionWins("gtx680", orderedKeys.name, wins, note)
		f.nearWins("gtx980", wins, note)
		f.simpleSuffices("gtx980", "made", suffices, note)
		f.overheads(double, near, note)
		f.nearSuffices(boxTimes{"gtx680": {shiftedKeys.name: single},
			"gtx980": {shiftedKeys.name: single}}, note)
		f.maskRows("made ", c, wins)
		f.maskShareRows(shares)
		f.divergenceRows("made", map[string]spread{
			"simple atomic, f64": {1, growth[0]}, "simple atomic, f32": {1, growth[1]},
			"warp reduction, f64": {1, growth[2]},
		})
		return f.Rows
	}
	even := [forms]float64{1, 1, 1.1, 1.1, 1.1}
	known := map[string]bool{ // gaps
		"double precision, random keys: the slowest attempt to reduce work": true,
		"single precision, shifted keys, all targets in L2: simple atomic against the warp " +
			"reduction, masks given": true,
		"single precision, shifted keys, all targets in L2: simple atomic against the fastest other " +
			"form with its masks": true,
	}
	for _, r := range rows(slow, fast, box(even), box(fast), maskCost{4, 4, 60, 100},
		maskShares{loop: []float64{90}, hash: []float64{1}}, [forms]float64{2, 1, 3, 1, 3}, 30, 1, 1.3) {
		if r.Holds == known[r.Item] {
			t.Errorf("%s: %s, holds: %t", r.Item, r.Ours, r.Holds)
		}
	}
	contrary := rows(fast, slow, box(fast), box(even), maskCost{4, 4, 900, 100},
		maskShares{loop: []float64{400}, hash: []float64{11}}, [forms]float64{2, 2, 2, 2, 3}, 1, 30, 30)
	for _, r := range contrary {
		if r.Holds != known[r.Item] {
			t.Errorf("%s: %s, from contrary times too: %t", r.Item, r.Ours, r.Holds)
		}
	}
	if len(contrary) != 16 {
		t.Errorf("%d rows", len(contrary))
	}
	var f findings
	f.reductionWins("gtx680", orderedKeys.name, [forms]float64{simple: 2, reduced: 1, hashed: 1.05},
		note)
	f.reductionWins("gtx680", shiftedKeys.name, [forms]float64{simple: 1.05, reduced: 1, hashed: 2},
		note)
	if !f.Rows[0].Holds || f.Rows[1].Holds || f.Rows[2].Holds || !f.Rows[3].Holds {
		t.Errorf("hashed binning, then the simple atomic, as fast as the reduction: %+v", f.Rows)
	}
}

// TestFinderRow: neither way to find masks is the faster one everywhere.
func TestFinderRow(t *testing.T) {
	for want, hash := range map[bool][2]float64{true: {1.2, 0.8}, false: {1.2, 0.98}} {
		all := boxTimes{}
		for i, name := range boxDevices {
			all[name] = map[string][forms]float64{}
			for _, order := range keyOrders {
				all[name][order.name] = [forms]float64{masked: 1, keyed: hash[i]}
			}
		}
		var f findings
		if f.finderRow(all); f.Rows[0].Holds != want {
			t.Errorf("%v times as long: holds %v", hash, f.Rows[0].Holds)
		}
	}
}

// TestMaskShares: masks that cost nothing, or less, are no insignificant part of the time.
func TestMaskShares(t *testing.T) {
	for want, hash := range map[bool]float64{true: 1, false: -1} {
		var f findings
		if f.maskShareRows(maskShares{loop: []float64{90}, hash: []float64{hash}}); f.Rows[0].Holds != want {
			t.Errorf("%v %%: holds %v", hash, f.Rows[0].Holds)
		}
	}
}

// TestMaxwellRate: the known gaps of single precision close where Maxwell's L2 makes twice the
// independent atomics.
func TestMaxwellRate(t *testing.T) {
	golden.OnlyFull(t)
	o := papers.Options{Scale: 1, Seed: 3}
	keys, err := shiftedKeys.keys(o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := device.Builtin("gtx980")
	if err != nil {
		t.Fatal(err)
	}
	d = targetsInL2(d)
	add := d.GlobalAtomics["f32"]
	for _, faster := range []float64{1, 2} {
		fast := add
		fast.Pass.Value /= faster
		d.GlobalAtomics = maps.Clone(d.GlobalAtomics)
		d.GlobalAtomics["f32"] = fast
		var ns [forms]float64
		for _, form := range []form{simple, reduced, keyed} {
			if ns[form], err = form.nanoseconds(d, device.F32, keys, boxCells, o.Seed); err != nil {
				t.Fatal(err)
			}
		}
		for _, other := range []form{reduced, keyed} {
			if suffices := ns[simple] < comparable*ns[other]; suffices != (faster > 1) {
				t.Errorf("%v times the rate: %v ns, %s %v ns", faster, ns[simple], other, ns[other])
			}
		}
	}
}

// TestHashGains: what the best other implementation, but for what the host lays anew, takes over masks by
// a hash is as doc/THEORY.md has it.
func TestHashGains(t *testing.T) {
	golden.OnlyFull(t)
	call := device.Call{Type: device.F64}
	for _, c := range []struct {
		stream, device string
		gain           float64
	}{
		{"cells:n=131072,k=16384,shift=0.5,seed=1", "c2075", 1.50},
		{"cells:n=131072,k=16384,shift=0.5,seed=1", "gtx680", 1.20},
		{"cells:n=131072,k=16384,shift=0.5,seed=1", "gtx980", 1.24},
		{"markov:n=131072,k=16384,stay=0.5,w=4,seed=1", "c2075", 1.26},
		{"markov:n=131072,k=16384,stay=0.5,w=4,seed=1", "gtx680", 0.94},
		{"markov:n=131072,k=16384,stay=0.5,w=4,seed=1", "gtx980", 1.21},
	} {
		d := must.Get(device.Builtin(c.device))(t)
		spec := must.Get(synth.Parse(c.stream))(t)
		indices := must.Get(synth.Generate(spec))(t)
		hash := must.Get(hwsim.Run(hwsim.Config{Device: d, Call: call, Implementation: byHash}, indices, uint64(spec.K)))(t)
		best, least := impl.Spec{}, math.Inf(1)
		for _, v := range slices.Concat(impl.Candidates(), impl.Sized()) {
			if v == byHash || v.Scatter {
				continue
			}
			r, err := hwsim.Run(hwsim.Config{Device: d, Call: call, Implementation: v}, indices, uint64(spec.K))
			if err == nil && r.Correct && r.US < least {
				best, least = v, r.US
			}
		}
		if gain := least / hash.US; math.Abs(gain-c.gain) > 0.02 {
			t.Errorf("%s on %s: %s takes %.2f times as long, want %.2f", c.stream, c.device, best, gain, c.gain)
		}
	}
}

// TestHashChoices: where a choice takes masks by a hash, in place of what it takes without them, simulated
// calls gain as doc/THEORY.md has it.
func TestHashChoices(t *testing.T) {
	golden.OnlyFull(t)
	const streams = 200
	var gains []float64
	for _, name := range []string{"c2075", "gtx580", "gtx680", "gtx980"} {
		rng := synth.NewRand(11)
		d := must.Get(device.Builtin(name))(t)
		for _, typ := range []device.Type{device.F64, device.F32, device.U32} {
			o := tuner.Options{Call: device.Call{Type: typ}, SearchLaunch: true}
			with := must.Get(tuner.New(d, o))(t)
			o.Exclude = []impl.Spec{byHash}
			without := must.Get(tuner.New(d, o))(t)
			for range streams {
				spec := must.Get(synth.Sample(rng, synth.Ranges{NMin: 1 << 14, NMax: 1 << 18, KMax: 1 << 18}))(t)
				indices := must.Get(synth.Generate(spec))(t)
				s := must.Get(collision.Analyze(indices, collision.Options{WarpSize: 32, BlockSize: 256, Bins: uint64(spec.K)}))(t)
				hash, other := must.Get(with.Pick(&s))(t), must.Get(without.Pick(&s))(t)
				if hash.Implementation != byHash {
					continue
				}
				var us [2]float64
				for i, p := range []tuner.Pick{hash, other} {
					us[i] = must.Get(hwsim.Run(hwsim.Config{Device: d, Call: o.Call, Implementation: p.Implementation,
						Launch: p.Launch}, indices, uint64(spec.K)))(t).US
				}
				gains = append(gains, math.Log(us[1]/us[0]))
			}
		}
	}
	slices.Sort(gains)
	share, mean := float64(len(gains))/(12*streams), math.Exp(stat.Mean(gains, nil))
	if share < 0.01 || share > 0.03 || mean < 1.06 || mean > 1.12 || math.Exp(gains[0]) < 0.88 {
		t.Errorf("chosen for %.1f %%, gain %.3f in the mean, %.2f to %.2f", 100*share, mean, math.Exp(gains[0]),
			math.Exp(gains[len(gains)-1]))
	}
}

// TestHopperRowsDiscriminate makes up measured times against each statement, and misses
// a recording.
func TestHopperRowsDiscriminate(t *testing.T) {
	all, err := hopperMeasured()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < len(hopperOrders)*len(hopperCalls(randomKeys)) {
		t.Errorf("only %d recorded calls", len(all))
	}
	against, times := hopperTimes{}, hopperTimes{}
	for _, order := range hopperOrders {
		for _, key := range hopperCalls(order) {
			measured := all[key].measured
			if measured <= 0 {
				t.Fatalf("%v was not recorded", key)
			}
			times[key], against[key] = hopperTime{measured, measured}, hopperTime{2, 1}
		}
	}
	var f, bad findings
	f.hopperRows(times, times)
	bad.hopperRows(against, against)
	for i := range f.Rows {
		good, bad := f.Rows[i], bad.Rows[i]
		if gap := strings.HasPrefix(good.Item, "single precision"); good.Holds == gap ||
			bad.Holds != gap {
			t.Errorf("%s: holds %t, and with other times %t", good.Item, good.Holds, bad.Holds)
		}
	}
	if len(f.Rows) != 6 {
		t.Errorf("%d rows", len(f.Rows))
	}
}
