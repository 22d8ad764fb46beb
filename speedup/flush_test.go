package speedup

import (
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
)

// TestGrowth counts the targets that blocks touch whose shares are each so many-th stretch
// of BlockSize updates, where the updates fill the device.
func TestGrowth(t *testing.T) {
	b := bundleOf(t, "private", device.Call{})
	for _, c := range []struct {
		label        string
		least, worst float64 // of estimate over count
	}{
		{"uniform:n=1048576,k=32768,seed=1", 0.95, 1.15},
		{"zipf:n=1048576,k=1024,seed=3,s=2,shuffle=1", 0.95, 1.3},
		{"zipf:n=1048576,k=4096,seed=3,s=1.5,shuffle=1", 0.95, 1.3},
		{"zipf:n=1048576,k=16384,seed=3,s=1,shuffle=1", 0.95, 1.4},
		{"runs:n=1048576,k=4096,seed=5,len=16", 0.95, 1.1},
		{"cells:n=1048576,k=4096,seed=6,ppc=10,shift=0.1", 0.95, 1.1},
		{"window:n=1048576,k=16384,seed=10,w=32,hold=64", 0.95, 1.1},
		{"hotspot:n=1048576,k=16384,seed=4,h=8,p=0.5", 0.8, 1.1},
	} {
		indices, s := Analyzed(t, c.label, 32)
		st := streamOf(b, &s)
		for _, blocks := range []int{1056, 264, 132} {
			touched := 0.0
			const counted = 8 // blocks
			for block := range counted {
				seen, targets := make([]bool, s.Bins), 0
				for first := block * s.BlockSize; first < len(indices); first += blocks * s.BlockSize {
					for _, x := range indices[first:min(len(indices), first+s.BlockSize)] {
						if !seen[x] {
							seen[x] = true
							targets++
						}
					}
				}
				touched += float64(targets) / counted
			}
			share := float64(len(indices)) / float64(s.BlockSize*blocks)
			got := b.touched(st, share)
			if ratio := got / touched; ratio < c.least || ratio > c.worst {
				t.Errorf("%s, %d blocks: %.0f targets, counted %.0f", c.label, blocks, got, touched)
			}
		}
	}
}

// TestGrowthBesideOneHotTarget: where each warp brings one new target beside one that all have,
// a block touches one target more with each of its warps, however many there are. The hot
// target, there from the first update on, is no growth.
func TestGrowthBesideOneHotTarget(t *testing.T) {
	const warps, lanes = 1 << 14, 32
	indices := make([]uint32, warps*lanes)
	for w := range uint32(warps) {
		indices[w*lanes] = 1 + w
	}
	s, err := collision.Analyze(indices, collision.Options{Bins: warps + 1, WarpSize: lanes, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	b := bundleOf(t, "private", device.Call{})
	st := streamOf(b, &s)
	perBlock := float64(s.BlockSize / lanes)
	for _, share := range []float64{1, 2, 16, 256} {
		// The estimate takes the hot target along as often as the others.
		least, most := 1+share*perBlock, share*(1+perBlock)
		if got := b.touched(st, share); got < least-1e-6 || got > most+1e-6 {
			t.Errorf("%v times a block's updates: %.1f targets, want %v to %v", share, got, least, most)
		}
	}
}
