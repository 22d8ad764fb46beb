package kernel

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// TestSampleAdvances: a warp that takes several turns puts another lane to the vote in each.
// Group g samples from element position + m·g on: the adds of all groups are those of
// single warps with that seed.
func TestSampleAdvances(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	const groups, warps = 48, 3
	for _, name := range []string{"h200", "c2075", "hd5870"} {
		d := kernelProfile(t, name)
		lanes := int(d.Core.WarpLanes.Value)
		for _, samples := range []int{1, 3} {
			v := variant.Variant{Reduction: variant.VR, Samples: samples, Threshold: lanes / 4}
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
func addsOf(t *testing.T, d *device.Profile, v variant.Variant, indices []uint32, warps int,
	seed uint64) (adds int) {
	t.Helper()
	const bins = 64
	s := NewSession(d, device.Call{}, v, seed)
	s.Place(indices, bins)
	s.SetValues(nil)
	if err := s.Clear(BufTarget); err != nil {
		t.Fatal(err)
	}
	m := s.Machine
	prog := updateKernel(v, device.Call{}, m.Lanes, device.Shape{Unroll: 1})
	m.Watch = func(_ *machine.Warp, at int32, mask uint64, _ int64) {
		if prog.Code[at].Op == machine.OpAtomic {
			adds += bits.OnesCount64(mask)
		}
	}
	if _, err := m.Launch(machine.Kernel{Prog: prog, Blocks: 1, Threads: warps * m.Lanes,
		BlocksPerSM: 1, Args: []uint64{uint64(len(indices)), bins, seed}}); err != nil {
		t.Fatal(err)
	}
	return adds
}
