package course

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
)

func stream(t testing.TB, text string) []uint32 {
	t.Helper()
	spec, err := synth.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	indices, err := synth.Generate(spec)
	if err != nil {
		t.Fatal(err)
	}
	return indices
}

// TestAgreesWithCollision: the means over all warps are those of package collision, whose code is
// another.
func TestAgreesWithCollision(t *testing.T) {
	checked := 0
	for _, text := range []string{"uniform:n=1,k=1", "uniform:n=31,k=7", "uniform:n=32,k=7",
		"uniform:n=1000,k=40", "runs:n=200000,k=99,len=5", "hotspot:n=300001,k=5000,h=2,p=0.5"} {
		for _, warp := range []int{1, 32, 64} {
			indices := stream(t, text)
			c := New(warp, false)
			c.Add(indices)
			want, err := collision.Analyze(indices, collision.Options{WarpSize: warp})
			if err != nil {
				t.Fatal(err)
			}
			warps, distinct := uint64(0), 0.0
			for d, n := range c.Distinct() {
				warps += n
				distinct += float64(d) * float64(n)
			}
			if got := distinct / float64(warps); math.Abs(got-want.DistinctPerWarp) > 1e-9 {
				t.Errorf("%s, warps of %d: %v distinct, want %v", text, warp, got, want.DistinctPerWarp)
			}
			degrees, updates := 0.0, uint64(len(indices))
			if updates%uint64(warp) == 0 { // else the last warp's degree has another denominator
				for _, s := range c.Stretches() {
					degrees += s.Mean * float64(s.Warps)
				}
				got := degrees / float64(warps) / float64(warp)
				if math.Abs(got-want.WarpLevel) > 1e-9 {
					t.Errorf("%s, warps of %d: level %v, want %v", text, warp, got, want.WarpLevel)
				}
				checked++
			}
		}
	}
	if checked < 8 {
		t.Errorf("compared %d levels", checked)
	}
}

// TestChunksDoNotMatter: neither do looks in between; stretches follow each other without a gap,
// and there are no more than fit.
func TestChunksDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 4, 32}).Draw(t, "warp")
		indices := rapid.SliceOfN(rapid.Uint32Range(0, 9), 0, 5000).Draw(t, "stream")
		whole, parts := New(size, false), New(size, false)
		whole.Add(indices)
		for rest := indices; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "chunk")
			parts.Add(rest[:n])
			parts.Stretches()
			parts.Distinct()
			rest = rest[n:]
		}
		list := whole.Stretches()
		if diff := cmp.Diff(list, parts.Stretches(), cmpopts.IgnoreUnexported(Stretch{})); diff != "" {
			t.Fatal(diff)
		}
		if !slices.Equal(whole.Distinct(), parts.Distinct()) {
			t.Fatal("the distinct targets depend on the chunks")
		}
		next := uint64(0)
		for _, s := range list {
			if s.First != next || float64(s.Least) > s.Mean || s.Mean > float64(s.Most) {
				t.Fatalf("%+v, want one from %d on", s, next)
			}
			next += s.Warps * uint64(size)
		}
		if n := uint64(len(indices)); next < n || next >= n+uint64(size) || len(list) > 2*stretches {
			t.Fatalf("%d stretches to %d of %d updates", len(list), next, n)
		}
	})
}

// TestStretchesAreTheirWarps: each stretch is what its warps are, counted one by one.
func TestStretchesAreTheirWarps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 4, 32}).Draw(t, "warp")
		indices := rapid.SliceOfN(rapid.OneOf(rapid.Uint32Range(0, 5), rapid.Just(uint32(collision.Inactive))),
			1, 3000).Draw(t, "stream")
		padded := rapid.Bool().Draw(t, "padded")
		c := New(size, padded)
		c.Add(indices)
		distinct := make([]uint64, size+1)
		var degrees []int
		for warp := range slices.Chunk(indices, size) {
			lanes, most := map[uint32]int{}, 0
			for _, target := range warp {
				if !padded || target != collision.Inactive {
					lanes[target]++
					most = max(most, lanes[target])
				}
			}
			distinct[len(lanes)]++
			degrees = append(degrees, most)
		}
		if !slices.Equal(c.Distinct(), distinct) {
			t.Fatalf("distinct targets %v, want %v", c.Distinct(), distinct)
		}
		for _, s := range c.Stretches() {
			own := degrees[s.First/uint64(size):][:s.Warps]
			sum := 0
			for _, degree := range own {
				sum += degree
			}
			if s.Least != slices.Min(own) || s.Most != slices.Max(own) ||
				math.Abs(s.Mean-float64(sum)/float64(len(own))) > 1e-9 {
				t.Fatalf("%+v, its warps have degrees %v", s, own)
			}
		}
	})
}

// TestStretchesTellPlaces: a stream whose second half is one target shows it there.
func TestStretchesTellPlaces(t *testing.T) {
	c := New(32, false)
	c.Add(stream(t, "sequential:n=1048576,k=1048576"))
	c.Add(make([]uint32, 1<<20))
	list := c.Stretches()
	if len(list) < stretches {
		t.Fatalf("%d stretches", len(list))
	}
	for _, s := range list {
		want := 1.0
		if s.First >= 1<<20 {
			want = 32
		}
		if s.Mean != want || s.Least != s.Most {
			t.Fatalf("%+v, want a degree of %v", s, want)
		}
	}
}

// TestStretchesHoldBoth: a stretch of warps in turn alike and different has both degrees.
func TestStretchesHoldBoth(t *testing.T) {
	c := New(32, false)
	for range 1 << 12 {
		c.Add(stream(t, "sequential:n=32,k=32"))
		c.Add(make([]uint32, 32))
	}
	for _, s := range c.Stretches() {
		if s.Least != 1 || s.Most != 32 || s.Mean != 16.5 {
			t.Fatalf("%+v, want degrees of 1 and 32", s)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	indices := stream(b, "uniform:n=1048576,k=4096")
	b.SetBytes(4 << 20)
	for b.Loop() {
		New(32, false).Add(indices)
	}
}

// TestPadded: lanes without an update count in no degree and are no target; a warp may have none.
func TestPadded(t *testing.T) {
	const none = collision.Inactive
	c := New(4, true)
	c.Add([]uint32{none, 7, none, 7, none, none, none, none, 3, none})
	if diff := cmp.Diff([]uint64{1, 2, 0, 0, 0}, c.Distinct()); diff != "" {
		t.Error(diff)
	}
	var degrees []float64
	for _, s := range c.Stretches() {
		degrees = append(degrees, s.Mean)
	}
	if diff := cmp.Diff([]float64{2, 0, 1}, degrees); diff != "" {
		t.Error(diff)
	}
	plain := New(4, false) // for which it is a target like others
	plain.Add([]uint32{none, 7, none, none})
	if got := plain.Distinct(); got[2] != 1 || plain.Stretches()[0].Most != 3 {
		t.Errorf("%v, %+v", got, plain.Stretches())
	}
}
