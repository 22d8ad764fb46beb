package prediction

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/latency"
)

// everyOperation calls do for each operation that a built-in device has figures
// of.
func everyOperation(t *testing.T, do func(d *device.Profile, o device.Operation, typ device.Type,
	p latency.Params)) {
	t.Helper()
	mechanisms := map[device.Mechanism]int{}
	for _, name := range golden.Devices {
		for _, typ := range device.Types() {
			for _, o := range device.Operations() {
				d := must.Get(device.Builtin(name))(t)
				p, err := latency.ForDevice(d, o, typ)
				if err != nil {
					continue // the device has none
				}
				mechanisms[p.Mechanism]++
				do(d, o, typ, p)
			}
		}
	}
	for _, m := range []device.Mechanism{device.Native, device.Access, device.Lock, device.Spin,
		device.CAS} {
		if mechanisms[m] == 0 {
			t.Errorf("no operation with mechanism %s", m)
		}
	}
}

// draw returns a random pattern for the parameters: of few words or many, with
// inactive lanes or none.
func draw(rng *rand.Rand, p latency.Params) patterns.Pattern {
	pattern := make(patterns.Pattern, p.Lanes)
	kinds := []patterns.Kind{patterns.Uniform, patterns.Sparse, patterns.Runs, patterns.Hot,
		patterns.Walk}
	patterns.Space{Words: 1 << rng.IntN(13), Kind: kinds[rng.IntN(len(kinds))]}.Draw(rng, pattern)
	return pattern
}

// TestPlaces: lanes share a lock or a bank where package latency has them wait
// for each other.
func TestPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	locks, banks := 0, 0
	everyOperation(t, func(_ *device.Profile, _ device.Operation, _ device.Type, p latency.Params) {
		for range 40 {
			pair := make(patterns.Pattern, p.Lanes)
			for l := range pair {
				pair[l] = patterns.Inactive
			}
			pair[0] = int32(rng.IntN(4096))
			pair[1] = pair[0] + int32(rng.IntN(5)*[]int{1, 16, 32, 64, 512, 1024}[rng.IntN(6)])
			got := must.Get(latency.Warp(pair, p))(t)
			c := conflicts{p.Structure, pair}
			if p.Loops() {
				if shared := c.lock(0) == c.lock(1); shared != (len(got.Rounds) == 2) {
					t.Errorf("%+v: words %v in %d rounds", p.Structure, pair[:2], len(got.Rounds))
				}
				locks++
			}
			if same := c.bank(0) == c.bank(1); pair[0] != pair[1] &&
				same != (got.Rounds[0].ReadPasses == 2) {
				t.Errorf("%+v: words %v in %d passes", p.Structure, pair[:2], got.Rounds[0].ReadPasses)
			}
			banks++
		}
	})
	if locks < 100 || banks < 1000 {
		t.Errorf("checked %d pairs for locks, %d for banks", locks, banks)
	}
}

// TestWaits: each lane that goes round again waits for a pending lane with its
// lock, and for none where no lane does.
func TestWaits(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	waits, inVain := 0, 0
	everyOperation(t, func(_ *device.Profile, _ device.Operation, _ device.Type, p latency.Params) {
		if !p.Loops() {
			return
		}
		for range 50 {
			pattern := draw(rng, p)
			got := must.Get(latency.Warp(pattern, p))(t)
			c := conflicts{p.Structure, pattern}
			for _, r := range got.Rounds {
				all := c.waits(r.Pending, r.Winners)
				if len(all) != len(r.Pending)-len(r.Winners) {
					t.Fatalf("%v: %d wait of %d pending and %d winners", pattern, len(all), len(r.Pending),
						len(r.Winners))
				}
				for _, w := range all {
					if w.HeldBy >= w.Lane || !slices.Contains(r.Pending, w.HeldBy) || c.lock(w.HeldBy) != w.Lock ||
						w.Lock != c.lock(w.Lane) || w.Word != pattern[w.Lane] {
						t.Errorf("%v: lane %d waits for lane %d: %+v", pattern, w.Lane, w.HeldBy, w)
					}
					if c.halved() && c.half(w.Lane) != c.half(w.HeldBy) {
						inVain++
					}
					waits++
				}
			}
		}
	})
	if waits < 1000 || inVain < 10 {
		t.Errorf("checked %d waits, %d in vain", waits, inVain)
	}
}

// TestQueues: wherever an access takes more passes than one, or one for each
// half of the warp, the bank is named that makes them.
func TestQueues(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	named := 0
	everyOperation(t, func(_ *device.Profile, o device.Operation, _ device.Type, p latency.Params) {
		how := mechanisms[p.Mechanism]
		for range 50 {
			pattern := draw(rng, p)
			got := must.Get(latency.Warp(pattern, p))(t)
			c := conflicts{p.Structure, pattern}
			for _, r := range got.Rounds {
				writers := how.writers(Round{Pending: r.Pending, Winners: r.Winners})
				for _, a := range []struct {
					lanes  []int
					every  bool
					passes int
				}{{r.Pending, how.readsLanes, r.ReadPasses}, {writers, how.writesLanes, r.WritePasses}} {
					if a.passes == 0 {
						continue
					}
					queues := c.queues(a.lanes, a.every, a.passes)
					passes := 0
					for _, queue := range queues {
						passes += len(queue.lanes)
					}
					if passes != a.passes {
						t.Fatalf("%s, %+v, %v: %d passes, but the queues are %+v", o, p.Structure, pattern, a.passes,
							queues)
					}
					named++
				}
			}
		}
	})
	if named < 1000 {
		t.Errorf("only %d accesses checked", named)
	}
}
