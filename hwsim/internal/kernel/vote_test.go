package kernel

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
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
			v := impl.Spec{Reduction: impl.VR, Samples: rng.IntN(5), Threshold: 2 + rng.IntN(lanes)}
			seed := rng.Uint64()
			want := votedAdds(indices, lanes, v.T(lanes), v.M(), seed)
			if v.Samples == 0 {
				v = impl.Spec{Reduction: impl.SR, Threshold: 2 + rng.IntN(8)}
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

// TestSampleAdvances: a warp that takes several iterations puts another lane to the vote in each.
// Group g samples from element position + m·g on: the adds of all groups are those of
// single warps with that seed.
func TestSampleAdvances(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	const groups, warps = 48, 3
	for _, name := range []string{"h200", "c2075", "hd5870"} {
		d := kernelProfile(t, name)
		lanes := int(d.Core.WarpLanes.Value)
		for _, samples := range []int{1, 3} {
			v := impl.Spec{Reduction: impl.VR, Samples: samples, Threshold: lanes / 4}
			indices := make([]uint32, groups*lanes)
			for i := range indices {
				if indices[i] = uint32(rng.IntN(64)); rng.IntN(3) == 0 {
					indices[i] = 0
				}
			}
			want, still := 0, 0
			for g := range groups {
				group := indices[g*lanes:][:lanes]
				want += votedAdds(group, lanes, v.T(lanes), samples, uint64(7+g*samples))
				still += votedAdds(group, lanes, v.T(lanes), samples, 7)
			}
			if got := addsOf(t, d, v, indices, warps, 7); got != want || want == still {
				t.Errorf("%s, %d samples: %d adds, want %d; %d where the first lanes stay", name, samples,
					got, want, still)
			}
		}
	}
}

// addsOf runs a block of so many warps over the indices and returns the lanes that add to global
// memory.
func addsOf(t *testing.T, d *device.Profile, v impl.Spec, indices []uint32, warps int,
	seed uint64) (adds int) {
	t.Helper()
	watched(t, d, v, indices, warps, seed, func(in machine.Instruction, lanes int) {
		if in.Op == machine.OpAtomic {
			adds += lanes
		}
	})
	return adds
}

// watched has look see each instruction of the one block that runs the implementation.
func watched(t *testing.T, d *device.Profile, v impl.Spec, indices []uint32, warps int, seed uint64,
	look func(in machine.Instruction, lanes int)) {
	t.Helper()
	bins := uint64(slices.Max(indices)) + 1
	s := NewSession(d, device.Call{}, v, seed)
	s.Place(indices, bins)
	s.SetValues(nil)
	if err := s.Clear(BufTarget); err != nil {
		t.Fatal(err)
	}
	m := s.Machine
	prog := updateKernel(v, device.Call{}, m.Lanes, device.Shape{Unroll: 1})
	m.Watch = func(_ *machine.Warp, at int32, mask uint64, _ int64) {
		look(prog.Code[at], bits.OnesCount64(mask))
	}
	if _, err := m.Launch(prog, device.Shape{Blocks: 1, Threads: warps * m.Lanes,
		BlocksPerSM: 1, SharedBytes: uint64(warps) * v.WarpBytes()}, uint64(len(indices)), bins, seed); err != nil {
		t.Fatal(err)
	}
}
