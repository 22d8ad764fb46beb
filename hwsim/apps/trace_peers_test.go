package apps

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
)

// TestTracePeers compares the trace with groups that are made by a plain loop.
func TestTracePeers(t *testing.T) {
	d := appProfile(t, "gtx680")
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		keys := make([]uint32, 1+rng.IntN(32))
		bins := 1 + rng.IntN(40)
		for i := range keys {
			keys[i] = uint32(rng.IntN(bins))
		}
		trace, err := TracePeers(hwsim.Config{Device: d, Call: device.Call{Type: device.F64}, Seed: seed},
			keys, uint64(bins))
		if err != nil {
			t.Fatal(err)
		}
		groups := map[uint32]uint64{}
		most := 0
		for l, key := range keys {
			groups[key] |= 1 << l
			most = max(most, bits.OnesCount64(groups[key]))
		}
		if len(trace.Matches) != len(groups) || len(trace.Steps) != bits.Len(uint(most-1)) {
			t.Errorf("seed %d: %d matches of %d keys, %d steps for %d lanes", seed, len(trace.Matches),
				len(groups), len(trace.Steps), most)
		}
		for l, key := range keys {
			before := uint64(bits.OnesCount64(groups[key] & (1<<l - 1)))
			if trace.Peers[l] != groups[key] || trace.Position[l] != before {
				t.Errorf("seed %d lane %d: peers %x at %d, want %x at %d", seed, l, trace.Peers[l],
					trace.Position[l], groups[key], before)
			}
		}
		if trace.MatchCycles <= 0 || trace.ReduceCycles < 0 {
			t.Errorf("seed %d: %d and %d cycles", seed, trace.MatchCycles, trace.ReduceCycles)
		}
	}
	if _, err := TracePeers(hwsim.Config{Device: d}, make([]uint32, 33), 1); !errors.Is(err,
		hwsim.ErrStream) {
		t.Errorf("33 updates in a warp: %v", err)
	}
}
