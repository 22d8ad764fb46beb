package apps

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// TestHashedPeersFinalArray runs peers by a hash over seeded streams of all types and operations.
func TestHashedPeersFinalArray(t *testing.T) {
	for seed := range uint64(96) {
		rng := rand.New(rand.NewPCG(seed, 12))
		bins := 1 + uint64(rng.IntN(1<<uint(rng.IntN(12))))
		indices := appKeys([]string{"equal", "clustered", "uniform", "uniform"}[rng.IntN(4)],
			1+rng.IntN(900), bins)
		name := []string{"gtx680", "gtx980", "h200"}[seed%3]
		call := device.Call{Type: device.Types()[seed/3%6], Operand: device.Operand(seed / 18 % 2)}
		if seed%5 == 0 {
			call = device.Call{Type: device.F32, Op: device.Max}
		}
		r, err := RunHashedPeers(hwsim.Config{Device: appProfile(t, name), Call: call, Seed: seed},
			indices, bins)
		if err != nil || !r.Correct {
			t.Fatalf("seed %d on %s, %v: %d updates of %d targets: correct %v, %v", seed, name, call,
				len(indices), bins, r.Correct, err)
		}
	}
}

// placeOfKey is the place that hashPeers gives a key.
func placeOfKey(key uint32) uint32 { return key * hashFactor >> (33 - bits.Len(PeerSlots)) }

// TestHashedPeersTurns: a warp adds once for each key, and takes as many turns as keys meet on one
// place.
func TestHashedPeersTurns(t *testing.T) {
	var onePlace, apart []uint32
	used := map[uint32]bool{}
	for key := uint32(0); len(onePlace) < 8 || len(apart) < 8; key++ {
		place := placeOfKey(key)
		if place == 0 && len(onePlace) < 8 {
			onePlace = append(onePlace, key)
		}
		if !used[place] && len(apart) < 8 {
			used[place], apart = true, append(apart, key)
		}
	}
	for turns, keys := range map[int][]uint32{8: onePlace, 1: apart} {
		warp := make([]uint32, 32)
		for l := range warp {
			warp[l] = keys[l*5%8]
		}
		s, err := hashedPeersSession(hwsim.Config{Device: appProfile(t, "gtx980"),
			Call: device.Call{Type: device.F64}}, warp, 1<<12)
		if err != nil {
			t.Fatal(err)
		}
		s.Begin()
		p := hashedPeersKernel(s.Call, int(s.lanes))
		masked, adds := 0, 0
		s.Machine.Watch = func(_ *machine.Warp, at int32, mask uint64, _ int64) {
			switch p.Code[at].Op {
			case machine.OpAtomicShared:
				masked += bits.OnesCount64(mask)
				turns--
			case machine.OpAtomic:
				adds = max(adds, bits.OnesCount64(mask))
			}
		}
		if err := s.Launch(machine.Kernel{Prog: p, Blocks: 1, Threads: 32, BlocksPerSM: 1,
			SharedBytes: 8 * PeerSlots, Args: []uint64{s.Updates, s.Bins, 0}}); err != nil {
			t.Fatal(err)
		}
		if masked != 32 || turns != 0 || adds != 8 {
			t.Errorf("%v: %d lanes, %d turns left, %d adds", keys, masked, turns, adds)
		}
		if got := s.Output(kernel.BufTarget); got[keys[0]] == 0 {
			t.Errorf("nothing was added to %d", keys[0])
		}
	}
}

// TestHashedPeersErrors names what is wrong.
func TestHashedPeersErrors(t *testing.T) {
	d := appProfile(t, "gtx680")
	for _, c := range []struct {
		names string
		cfg   hwsim.Config
		kind  error
	}{
		{"peers", hwsim.Config{Device: d, Variant: variant.Variant{Reduction: variant.Peers}},
			hwsim.ErrStream},
		{"old values", hwsim.Config{Device: d, Call: device.Call{Returns: true}}, device.ErrCannot},
		{"mi300x", hwsim.Config{Device: appProfile(t, "mi300x")}, device.ErrCannot},
		{"device", hwsim.Config{}, hwsim.ErrStream},
	} {
		_, err := RunHashedPeers(c.cfg, []uint32{0}, 1)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("error %v, want %v with %q", err, c.kind, c.names)
		}
	}
}
