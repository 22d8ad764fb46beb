package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// skewed draws n indices below bins, low ones more often.
func skewed(n, bins int, seed uint64) []uint32 {
	rng := rand.New(rand.NewPCG(seed, 5))
	indices := make([]uint32, n)
	for i := range indices {
		x := rng.Float64()
		indices[i] = uint32(x * x * x * float64(bins))
	}
	return indices
}

// slotOf is the slot of a target: the highest bits of a product of 32 bits.
func slotOf(target uint32, slots int) int {
	return int(uint64(target*2654435761) * uint64(slots) >> 32)
}

// ran runs a call on the H200, on a part of a stream or all of it, and returns what it leaves.
func ran(t *testing.T, name string, part, whole []uint32, bins uint64) *Session {
	t.Helper()
	v, err := impl.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	s := NewSession(kernelProfile(t, "h200"), device.Call{Operand: device.One}, v, 1)
	s.Place(part, bins)
	s.Whole, s.Grid = whole, uint64(len(whole))
	s.SetValues(nil)
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	return s
}

func tagsOf(s *Session) []uint32 { return s.Machine.Buffers[bufTags].Words }

// sampled is the plain reference of a sample's table.
func sampled(indices []uint32, slots, samples int) []uint32 {
	var drawn []uint32
	for j := range min(samples, len(indices)) {
		at := j
		if samples < len(indices) {
			at = (j*len(indices) + int(uint64(uint32(j)*2654435769)*uint64(len(indices))>>32)) / samples
		}
		drawn = append(drawn, indices[at])
	}
	own := min(slots, 1024)
	each := max(4096, 8*own)
	counters := make([]int, each*slots/own)
	counterOf := func(target uint32) *int {
		place := int(uint64(target*2246822519) * uint64(each) >> 32)
		return &counters[slotOf(target, slots)/own*each+place]
	}
	for _, x := range drawn {
		*counterOf(x)++
	}
	tags := slices.Repeat([]uint32{machine.EmptyKey}, slots)
	best := make([]int, slots)
	for _, x := range drawn {
		slot, n := slotOf(x, slots), *counterOf(x)
		if n >= 2 && n > best[slot] { // of equal counts the earliest
			best[slot], tags[slot] = n, x
		}
	}
	return tags
}

// TestSampledTargets compares the table that the launch leaves with its plain reference: with fewer
// slots than a block owns and with several blocks, with a sample of a stream and with all of it.
func TestSampledTargets(t *testing.T) {
	filled, empty := 0, 0
	for _, c := range []struct {
		name           string
		slots, samples int
		n              int
	}{
		{"hot:s=16,sample=1024", 16, 1024, 5000}, {"hot:s=16,sample=1024", 16, 1024, 700},
		{"hot:s=1024,sample=2048", 1024, 2048, 40001}, {"hot:s=4096,sample=4096", 4096, 4096, 20000},
		{"hot:s=4096,r=2,sample=8192", 4096, 8192, 8192},
	} {
		indices := skewed(c.n, 20000, uint64(c.n))
		s := ran(t, c.name, indices, nil, 20000)
		tags := tagsOf(s)
		if want := sampled(indices, c.slots, c.samples); !slices.Equal(tags, want) {
			t.Errorf("%s of %d updates: another table than the reference's", c.name, c.n)
		}
		for _, tag := range tags {
			if tag == machine.EmptyKey {
				empty++
			} else {
				filled++
			}
		}
		if len(s.Times) != 3 || s.Times[1].Name != "sample" || s.Times[1].Cycles == 0 {
			t.Errorf("%s: launches %v", c.name, s.Times)
		}
	}
	if filled < 1000 || empty < 1000 {
		t.Errorf("%d slots are filled and %d empty", filled, empty)
	}
}

// TestGather: samples far apart pass to the SM one sector after the other, each of them twice, which
// neighbours do not.
func TestGather(t *testing.T) {
	const samples = 1 << 14
	cycles := func(n int) float64 {
		s := ran(t, fmt.Sprintf("hot:s=64,sample=%d", samples), skewed(n, 5000, 1), nil, 5000)
		return float64(s.Times[1].Cycles)
	}
	d := kernelProfile(t, "h200")
	apart, together := cycles(64*samples), cycles(samples)
	if least := 2 * samples * d.Global.SMSector.Value; apart < least || together > 0.75*apart {
		t.Errorf("%v cycles for sectors that pass in %v, %v for neighbours", apart, least, together)
	}
}

// TestSampleOfPeriods: a target that stands at every other place, or in a stretch of every row, is
// found, though the sample's stretches are whole periods.
func TestSampleOfPeriods(t *testing.T) {
	const seldom = 4999 // elsewhere
	for name, hot := range map[string]func(i int) bool{
		"odd places":   func(i int) bool { return i%2 == 1 },
		"half of rows": func(i int) bool { return i%1024 >= 256 && i%1024 < 768 },
	} {
		indices := skewed(1<<17, 5000, 3)
		for i := range indices {
			if hot(i) {
				indices[i] = seldom
			}
		}
		for _, samples := range []int{1024, 4096} {
			tags := tagsOf(ran(t, fmt.Sprintf("hot:s=64,sample=%d", samples), indices, nil, 5000))
			if tags[slotOf(seldom, 64)] != seldom {
				t.Errorf("%s, %d samples: the slot of target %d has %d", name, samples, seldom,
					tags[slotOf(seldom, 64)])
			}
		}
	}
}

// TestSampleOfWhole: the sample of a long stream is drawn from all of it, also where a part of the
// stream is simulated; known targets are those of all of it.
func TestSampleOfWhole(t *testing.T) {
	whole := skewed(30000, 5000, 1)
	for i := range 300 {
		whole[i] = 4999
	}
	for _, name := range []string{"hot:s=64", "hot:s=64,sample=2048"} {
		s := ran(t, name, whole[:300], whole, 5000)
		counts := make([]uint32, 5000)
		for _, x := range whole {
			counts[x]++
		}
		want := impl.Tags(counts, 64)
		if s.Implementation.Sample > 0 {
			want = sampled(whole, 64, 2048)
		}
		if got := tagsOf(s); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestHitsAndMisses counts the atomic operations of a block: one for each update, and one for each
// slot that has a sum in the end. A target without a slot adds none.
func TestHitsAndMisses(t *testing.T) {
	rival := uint32(1) // of target 0 for its slot
	for slotOf(rival, 16) != slotOf(0, 16) {
		rival++
	}
	for _, c := range []struct {
		name    string
		indices []uint32
		want    uint64
	}{
		{"hot:s=16", []uint32{0, 0, 0, 0}, 4 + 1},
		{"hot:s=16", []uint32{0, rival, 0, rival, rival}, 5 + 1},
		{"hot:s=16,r=4", []uint32{0, rival, 0, rival, rival}, 5 + 1},
		{"hot:s=16+match", []uint32{0, rival, 0, rival, rival}, 2 + 1},
		{"hot:s=16", []uint32{0, 1, 2, 0}, 4 + 3},
		// A sample of one of each leaves the table empty: 4 are counted, none offered.
		{"hot:s=16,sample=1024", []uint32{0, 1, 2, 3}, 4 + 4},
	} {
		s := ran(t, c.name, c.indices, nil, 100)
		if got := s.Machine.Issued; got != c.want {
			t.Errorf("%s of %v: %d atomic operations, want %d", c.name, c.indices, got, c.want)
		}
	}
}

// TestRanges counts the atomic operations of private copies of ranges of targets: each update is
// made by the blocks of its range alone, and each sum is added to its target once.
func TestRanges(t *testing.T) {
	for _, ranges := range []int{1, 2, 3, 8, 64} {
		s := ran(t, fmt.Sprintf("private:r=1,ranges=%d", ranges), []uint32{0, 4, 4, 1, 2, 0, 3}, nil, 5)
		sums := s.Output(BufTarget)
		if got := s.Machine.Issued; got != 7+5 || !slices.Equal(sums, []uint64{2, 1, 1, 1, 2}) {
			t.Errorf("%d ranges: %d atomic operations, sums %v", ranges, got, sums)
		}
	}
}
