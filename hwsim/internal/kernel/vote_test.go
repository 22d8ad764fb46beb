package kernel

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// drawn is the lane that element p of the sequence picks of a full warp, in the
// CUDA header's words: (p * 2654435769u) >> 27 of a warp of 32.
func drawn(p uint32, lanes int) uint64 {
	return uint64(p * 2654435769 >> (32 - bits.Len(uint(lanes-1))))
}

// TestSequenceFullCycle checks that the sequence repeats after 2^32 elements and
// not before, and that it prefers no lane.
func TestSequenceFullCycle(t *testing.T) {
	// The order of the step in the integers modulo 2^32 divides 2^32.
	order := uint64(1)
	for step := uint32(sequenceStep); step != 0; step *= 2 {
		order *= 2
	}
	if order != 1<<32 {
		t.Errorf("the sequence repeats after %d elements", order)
	}
	for _, lanes := range []int{32, 64} {
		var count [64]int
		const n = 1 << 16
		for p := range uint32(n) {
			count[drawn(p+12345, lanes)]++
		}
		for lane, c := range count[:lanes] {
			if c < n/lanes-3 || c > n/lanes+3 {
				t.Errorf("%d lanes: lane %d drawn %d of %d times", lanes, lane, c, n)
			}
		}
	}
}

// drawKernel stores, for each group of the stream and each sample, the lane that
// the group draws of its active lanes.
func drawKernel(v variant.Variant, lanes int) *machine.Program {
	u := NewUpdater("draws", UpdateArgs, v, device.Call{}, lanes)
	warp := u.Add(u.Mul(machine.BlockID, machine.BlockWarps), machine.WarpID)
	warps := u.Mul(machine.GridBlocks, machine.BlockWarps)
	u.At = u.Add(u.Mul(warp, imm(u.Lanes)), u.LaneID)
	group := u.Uni()
	u.Mov(group, warp)
	u.openSequence(warp, warps)
	u.Loop(func() {
		u.Inside = u.Less(u.At, u.Arg(ArgUpdates))
		u.LeaveUnless(u.Inside)
		active := u.Ballot(u.Inside)
		place, element := u.Vec(), u.Uni()
		u.To(place, machine.OpAdd, u.Mul(group, imm(uint64(v.M()))), imm(0))
		u.Mov(element, u.State)
		for range v.M() {
			u.Store(BufTarget, place, u.drawLane(active, element))
			u.Inc(place, imm(1))
			u.Inc(element, imm(sequenceUnit))
		}
		u.Inc(u.State, u.Advance)
		u.Inc(group, warps)
		u.Inc(u.At, u.Mul(warps, imm(u.Lanes)))
	})
	return u.Done()
}

// TestGroupsTakeConsecutiveElements runs several turns of several warps: group g
// draws with the element at the seed position + g, whichever warp and turn it is.
func TestGroupsTakeConsecutiveElements(t *testing.T) {
	for _, c := range []struct {
		device  string
		samples int
		seed    uint64
	}{{"h200", 1, 0}, {"h200", 1, 7}, {"h200", 3, 1<<32 - 50}, {"c2075", 2, 99}, {"hd5870", 1, 5}} {
		d := kernelProfile(t, c.device)
		m := machine.NewMachine(d, device.Call{})
		const groups = 301
		updates := uint64(groups*m.Lanes) - 5 // the last group is partial
		m.Buffers = []*machine.Buffer{machine.Counters(groups * uint64(c.samples))}
		v := variant.Variant{Reduction: variant.VR, Samples: c.samples}
		_, err := m.Launch(machine.Kernel{
			Prog: drawKernel(v, m.Lanes), Blocks: 5, Threads: 4 * m.Lanes, BlocksPerSM: 2,
			Args: []uint64{updates, 1, c.seed},
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(groups * c.samples) {
			want := drawn(uint32(c.seed+i), m.Lanes)
			if i/uint64(c.samples) == groups-1 && want > uint64(m.Lanes)-6 {
				want = 0 // the next active lane, cyclically
			}
			if i%uint64(c.samples) == 0 && i/uint64(c.samples) < groups-1 &&
				SampledLane(c.seed, i/uint64(c.samples), c.samples, m.Lanes) != int(want) {
				t.Fatalf("%s: SampledLane of warp %d is not %d", c.device, i/uint64(c.samples), want)
			}
			if got := m.Buffers[0].Get(i); got != want {
				t.Fatalf("%s, %d samples, seed %d: draw %d is lane %d, want %d", c.device, c.samples, c.seed, i,
					got, want)
			}
		}
	}
}

// votedAdds is `vr` in plain words: the adds of one warp.
func votedAdds(indices []uint32, lanes, threshold, samples int, seed uint64) int {
	adds := len(indices)
	rest := make([]bool, len(indices))
	left := len(indices)
	for l := range rest {
		rest[l] = true
	}
	for j := 0; j < samples && left >= threshold; j++ {
		lane := int(drawn(uint32(seed)+uint32(j), lanes))
		for lane >= len(indices) || !rest[lane] {
			lane = (lane + 1) % lanes
		}
		votes := 0
		for l, x := range indices {
			if x == indices[lane] {
				votes++
				rest[l] = false
			}
		}
		left -= votes
		if votes >= threshold {
			adds -= votes - 1
		}
	}
	return adds
}

// scannedAdds is `sr` in plain words: the adds of one warp.
func scannedAdds(indices []uint32, threshold int) int {
	runs, length, longest := 0, 0, 0
	for l, x := range indices {
		if l == 0 || indices[l-1] != x {
			runs, length = runs+1, 0
		}
		length++
		longest = max(longest, length)
	}
	if longest < threshold {
		return len(indices)
	}
	return runs
}

// TestAddsOfOneWarp counts the adds that are left of a warp's, over random warps
// of few targets, against the algorithms in plain words.
func TestAddsOfOneWarp(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	reduced := map[string]int{}
	for _, name := range []string{"h200", "hd5870"} {
		d := kernelProfile(t, name)
		lanes := int(d.Core.WarpLanes.Value)
		for range 300 {
			indices := make([]uint32, lanes-rng.IntN(2)*rng.IntN(lanes))
			targets, hot := 1+rng.IntN(12), rng.IntN(5)
			for l := range indices {
				indices[l] = uint32(rng.IntN(targets))
				switch {
				case hot == 0 && l > 0 && rng.IntN(3) > 0:
					indices[l] = indices[l-1]
				case hot > 2 && rng.IntN(4) > 0:
					indices[l] = 0
				}
			}
			v := variant.Variant{Reduction: variant.VR, Samples: rng.IntN(5), Threshold: 2 + rng.IntN(lanes)}
			seed := rng.Uint64()
			want := votedAdds(indices, lanes, v.T(lanes), v.M(), seed)
			if v.Samples == 0 {
				v = variant.Variant{Reduction: variant.SR, Threshold: 2 + rng.IntN(8)}
				want = scannedAdds(indices, v.T(lanes))
			}
			got := addsOf(t, d, v, indices, 1, seed)
			if got != want {
				t.Fatalf("%s: %s over %v with seed %d: %d adds, want %d", name, v, indices, seed, got, want)
			}
			if got < len(indices) {
				reduced[v.Reduction.String()]++
			}
		}
	}
	if reduced["sr"] < 20 || reduced["vr"] < 100 {
		t.Errorf("only so many warps were reduced: %v", reduced)
	}
}
