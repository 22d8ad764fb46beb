package collision

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func isInactive(key uint32) bool { return key == Inactive }

// pad makes about one in so many updates padding, single ones or, with stretches, long runs.
func pad(seed uint64, keys []uint32, one int, stretches bool) {
	r := rand.New(rand.NewPCG(seed, 3))
	off := false
	for i := range keys {
		if !stretches || i%100 == 0 {
			off = r.IntN(one) == 0
		}
		if off {
			keys[i] = Inactive
		}
	}
}

// TestPaddingMatchesReference: padding counts for the sizes of warps and blocks alone, whatever the
// sizes, the length, the chunks and the number of targets.
func TestPaddingMatchesReference(t *testing.T) {
	checked := 0
	for dist := range streams {
		for i, n := range []int{1, 31, 33, 255, 257, 512, 4097, 9000} {
			for j, k := range []uint64{1, 3, 256, 65537, 1<<32 - 1} {
				keys := draw(dist, uint64(i), n, k)
				pad(uint64(i+j), keys, 1+(i+j)%4, dist%2 == 0)
				shape := [][2]int{{32, 256}, {32, 96}, {7, 21}, {64, 256}, {1, 7}}[(i+j)%5]
				opt := Options{WarpSize: shape[0], BlockSize: shape[1], Padded: true}
				if countActive(keys) == 0 {
					if _, err := Analyze(keys, opt); !errors.Is(err, ErrEmpty) {
						t.Errorf("nothing but padding: error %v", err)
					}
					continue
				}
				name := fmt.Sprintf("dist=%s,n=%d,k=%d,shape=%v", streams[dist].name, n, k, shape)
				want := padded(keys, isInactive, shape[0], shape[1], 0)
				got := analyze(t, keys, opt)
				if diff := cmp.Diff(want, got, near); diff != "" {
					t.Fatalf("%s: reference against Analyze:\n%s", name, diff)
				}
				if err := got.Check(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				a, err := NewAccumulator(opt)
				if err != nil {
					t.Fatal(err)
				}
				for rest := keys; len(rest) > 0; {
					m := min(len(rest), 1+i*37)
					if err := a.Add(rest[:m]); err != nil {
						t.Fatal(err)
					}
					rest = rest[m:]
					if countActive(keys[:len(keys)-len(rest)]) > 0 {
						statsOf(t, a)
					}
				}
				if diff := cmp.Diff(want, statsOf(t, a), near); diff != "" {
					t.Fatalf("%s in chunks:\n%s", name, diff)
				}
				checked++
			}
		}
	}
	if checked < 100 {
		t.Errorf("checked %d streams", checked)
	}
}

// TestPaddedAsPlain: without padding a padded stream is a plain one, and padding at the end of
// whole blocks changes means over warps by their number alone.
func TestPaddedAsPlain(t *testing.T) {
	for dist := range streams {
		keys := draw(dist, 4, 300*256+77, 70000)
		plain := analyze(t, keys, Options{})
		if diff := cmp.Diff(plain, analyze(t, keys, Options{Padded: true}), near); diff != "" {
			t.Errorf("dist=%s (-plain +padded):\n%s", streams[dist].name, diff)
		}
		whole := keys[:256*300]
		twice := make([]uint32, 2*len(whole))
		copy(twice, whole)
		for i := range whole {
			twice[len(whole)+i] = Inactive
		}
		half, full := analyze(t, twice, Options{Padded: true}), analyze(t, whole, Options{})
		if half.Updates != full.Updates || half.Ignored != full.Updates || half.Unique != full.Unique ||
			half.Runs != full.Runs || half.ClusteredFraction != full.ClusteredFraction {
			t.Errorf("dist=%s: %+v, want the figures of %+v", streams[dist].name, half, full)
		}
		if diff := cmp.Diff(full.DistinctPerWarp, 2*half.DistinctPerWarp, near); diff != "" {
			t.Errorf("dist=%s: different targets of a warp:\n%s", streams[dist].name, diff)
		}
	}
}

// TestPaddedSamples: a sample of all blocks is exact, a smaller one estimates how much is padding,
// and an accumulator knows.
func TestPaddedSamples(t *testing.T) {
	for dist := range streams {
		keys := draw(dist, 6, 400*256+33, 5000)
		pad(uint64(dist), keys, 3, false)
		want := analyze(t, keys, Options{Padded: true, Bins: 5000})
		all, err := sampler(t, Options{Padded: true}).Measure(keys, 5000, 400)
		if err != nil {
			t.Fatal(err)
		}
		all.Sampled = nil
		if diff := cmp.Diff(want, all, near); diff != "" {
			t.Errorf("dist=%s: all blocks (-exact +sample):\n%s", streams[dist].name, diff)
		}
		part, err := sampler(t, Options{Padded: true}).Measure(keys, 5000, 64)
		if err != nil {
			t.Fatal(err)
		}
		if part.Positions() != want.Positions() || part.Ignored < want.Ignored*9/10 ||
			part.Ignored > want.Ignored*11/10 || part.Sampled.Updates >= 65*256 {
			t.Errorf("dist=%s: %d ignored of %d, in a sample of %d updates; exactly %d",
				streams[dist].name, part.Ignored, part.Positions(), part.Sampled.Updates, want.Ignored)
		}
		if err := part.Check(); err != nil {
			t.Errorf("dist=%s: %v", streams[dist].name, err)
		}
		counted := analyze(t, keys, Options{Padded: true, Bins: 5000, Sample: 64})
		if counted.Ignored != want.Ignored || counted.Updates != want.Updates {
			t.Errorf("dist=%s: %d ignored, want %d", streams[dist].name, counted.Ignored, want.Ignored)
		}
		off := counted.DistinctPerWarp - want.DistinctPerWarp
		if half := counted.Sampled.HalfWidth.DistinctPerWarp; off > 3*half+1e-9 || off < -3*half-1e-9 {
			t.Errorf("dist=%s: different targets of a warp are off by %v, half-width %v",
				streams[dist].name, off, half)
		}
	}
}

func TestPaddedFaults(t *testing.T) {
	keys := []uint32{1, Inactive, 9}
	if _, err := Analyze(keys, Options{Padded: true, Bins: 9}); !errors.Is(err, ErrIndex) ||
		err.Error() != "collision: index out of range: update 2 has index 9, the stream has 9 bins" {
		t.Errorf("error %v", err)
	}
	if _, err := Analyze(keys, Options{Bins: 10}); !errors.Is(err, ErrIndex) {
		t.Errorf("a stream that is not padded: error %v", err)
	}
	if _, err := Analyze(keys, Options{Padded: true, Bins: 1 << 32}); !errors.Is(err, ErrOptions) {
		t.Errorf("2^32 bins: error %v", err)
	}
	none := []uint32{Inactive, Inactive}
	if _, err := sampler(t, Options{Padded: true}).Measure(none, 9, 4); !errors.Is(err, ErrEmpty) {
		t.Errorf("a sample of padding: error %v", err)
	}
}

// TestPaddedLong: of more blocks than an exact analysis keeps, what it estimates is near the truth,
// and all else exact.
func TestPaddedLong(t *testing.T) {
	const n = 1200*256 + 40
	for _, dist := range []int{0, 3} {
		keys := draw(dist, 11, n, 3000)
		pad(5, keys, 4, false)
		want := padded(keys, isInactive, 32, 256, 3000)
		got := analyze(t, keys, Options{Padded: true, Bins: 3000})
		for name, of := range map[string]func(s *Stats) float64{
			"hot_warps":    func(s *Stats) float64 { return s.HotWarps },
			"hot_segments": func(s *Stats) float64 { return s.HotSegments },
			"misses":       func(s *Stats) float64 { return 1 + s.Misses[0].Distinct },
		} {
			if w, g := of(&want), of(&got); g < 0.95*w || g > 1.05*w {
				t.Errorf("dist=%s: %s %v, want about %v", streams[dist].name, name, g, w)
			}
		}
		for i := range want.Misses {
			if diff := cmp.Diff(want.Misses[i].Lanes, got.Misses[i].Lanes, near); diff != "" {
				t.Errorf("dist=%s: updates that miss table %d:\n%s", streams[dist].name, i, diff)
			}
		}
		want.HotWarps, want.HotSegments, want.Misses = got.HotWarps, got.HotSegments, got.Misses
		if diff := cmp.Diff(want, got, near); diff != "" {
			t.Errorf("dist=%s (-reference +got):\n%s", streams[dist].name, diff)
		}
		if err := got.Check(); err != nil {
			t.Error(err)
		}
	}
}
