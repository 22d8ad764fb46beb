package speedup

import (
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
)

// TestOneTurn: a stream that gives each warp a single iteration waits for its latency once, in the
// phase that starts the update. The update itself then has no bound of latency; with two iterations
// it has that of one.
func TestOneIterations(t *testing.T) {
	latency := func(label, phase string) float64 {
		_, s := Analyzed(t, label, 32)
		_, of := priced(t, "private", &s, builtin(t, "h200"), device.Call{})
		return of[phase+" latency"]
	}
	// 132 SMs hold 8 blocks of 256 threads each.
	const once, twice = "uniform:n=270336,k=64,seed=1", "uniform:n=540672,k=64,seed=1"
	if us := latency(once, "update"); us != 0 || latency(once, "start") == 0 {
		t.Errorf("one turn: %v us of further latency, %v us at the start", us, latency(once, "start"))
	}
	start, further := latency(twice, "start"), latency(twice, "update")
	if further < 0.999*start || further > 1.001*start {
		t.Errorf("two turns: %v us of further latency, %v us at the start", further, start)
	}
}

// TestOnRamp: on a ramp the fullest bank has as many lanes as a word at least, and a word one lane at
// least; between a ramp and none both are in between.
func TestOnRamp(t *testing.T) {
	c := copies{invBanks: make([]float64, 4), ramp: []float64{6, 2, 2, 2}}
	for _, x := range []struct {
		ramp, highest, bank, degree float64
	}{{1, 3, 6, 2}, {1, 8, 8, 1}, {0, 3, 9, 5}, {0.5, 3, 7.5, 3.5}, {0.5, 8, 8.5, 3}} {
		st := &stream{ramp: x.ramp}
		if bank, degree := c.onRamp(st, 9, 5, x.highest); bank != x.bank || degree != x.degree {
			t.Errorf("ramp %v, %v lanes of a word: %v on a bank, degree %v, want %v and %v", x.ramp, x.highest,
				bank, degree, x.bank, x.degree)
		}
	}
}

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
// target, there from the first update on, is not growth.
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
