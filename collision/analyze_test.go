package collision

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// near lets means differ by the rounding of a sum of ratios.
var near = cmpopts.EquateApprox(1e-12, 0)

// streams are the distributions that tests and benchmarks draw from.
var streams = []struct {
	name string
	draw func(r *rand.Rand, i, n int, k uint64) uint32
}{
	{"uniform", func(r *rand.Rand, _, _ int, k uint64) uint32 { return uint32(r.Uint64N(k)) }},
	{"constant", func(_ *rand.Rand, _, _ int, k uint64) uint32 { return uint32(k / 2) }},
	{"sorted", func(_ *rand.Rand, i, n int, k uint64) uint32 { return uint32(uint64(i) * k / uint64(n)) }},
	{"skewed", func(r *rand.Rand, _, _ int, k uint64) uint32 {
		x := r.Float64()
		return uint32(float64(k) * x * x * x * x)
	}},
	{"strided", func(_ *rand.Rand, i, _ int, k uint64) uint32 { return uint32(uint64(i) * 32 % k) }},
}

func draw(dist int, seed uint64, n int, k uint64) []uint32 {
	r := rand.New(rand.NewPCG(seed, uint64(dist)))
	keys := make([]uint32, n)
	for i := range keys {
		keys[i] = streams[dist].draw(r, i, n, k)
	}
	return keys
}

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

func statsOf(t interface{ Fatal(...any) }, a *Accumulator) Stats {
	s, err := a.Stats()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func analyze(t interface{ Fatal(...any) }, keys []uint32, opt Options) Stats {
	s, err := Analyze(keys, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAnalyzeMatchesReference: statistics are those of their definitions, and such as Check takes;
// every third stream has padding, which counts for the sizes of warps and blocks alone. None is 0 in
// every stream, as one is that the reference does not make.
func TestAnalyzeMatchesReference(t *testing.T) {
	shapes := [][2]int{{32, 256}, {32, 32}, {32, 64}, {32, 96}, {32, 128}, {32, 512}, {32, 1024},
		{1, 1}, {1, 7}, {7, 21}, {16, 256}, {64, 256}, {33, 330}, {1024, 1024}}
	bins := []uint64{1, 3, 100, 256, 65536, 65537, 1 << 20, 1 << 32}
	lengths := []int{1, 31, 32, 33, 255, 257, 512, 4096, 9000}
	known := map[string]bool{}
	compared := [2]int{}
	for dist := range streams {
		for i, n := range lengths {
			for j, k := range bins {
				shape := shapes[(dist+3*i+5*j)%len(shapes)]
				if (i+j)%2 == 0 {
					shape = shapes[j%7]
				}
				opt, ignored := Options{WarpSize: shape[0], BlockSize: shape[1]}, func(uint32) bool { return false }
				keys := draw(dist, uint64(i), n, min(k, Inactive))
				if opt.Padded = (dist+i+j)%3 == 0; opt.Padded {
					pad(uint64(i+j), keys, 2+(i+j)%3, dist%2 == 0)
					ignored = isInactive
				}
				if opt.Padded && countActive(keys) == 0 {
					continue
				}
				kept := slices.Clone(keys)
				got := analyze(t, keys, opt)
				name := fmt.Sprintf("dist=%s,n=%d,k=%d,%+v", streams[dist].name, n, k, opt)
				if diff := cmp.Diff(padded(keys, ignored, shape[0], shape[1], 0), got, near); diff != "" {
					t.Fatalf("%s: reference against Analyze:\n%s", name, diff)
				}
				if err := got.Check(); err != nil || !slices.Equal(keys, kept) || !got.HotKnown() {
					t.Errorf("%s: %v", name, err)
				}
				for _, number := range Statistics() {
					value, _ := number.Value(&got)
					known[number.Name] = known[number.Name] || value != 0
				}
				compared[n%2]++
			}
		}
	}
	if min(compared[0], compared[1]) < 100 || len(known) < 60 {
		t.Errorf("%d streams, %d statistics", compared, len(known))
	}
	for name, some := range known {
		if !some {
			t.Errorf("%s: 0 in every stream", name)
		}
	}
}

// drawStream draws a stream and options for a property.
func drawStream(t *rapid.T, longest int) ([]uint32, Options) {
	warp := rapid.SampledFrom([]int{32, 32, 32, 1, 5, 16, 64}).Draw(t, "warp")
	opt := Options{
		WarpSize: warp, BlockSize: warp * rapid.SampledFrom([]int{1, 2, 3, 4, 8, 16}).Draw(t,
			"warps"),
		Workers: rapid.IntRange(1, 5).Draw(t, "workers"),
		Padded:  rapid.Bool().Draw(t, "padded"),
	}
	k := rapid.SampledFrom([]uint64{1, 7, 300, 70000, 1 << 22, Inactive}).Draw(t, "bins")
	n := rapid.IntRange(1, longest).Draw(t, "n")
	dist := rapid.IntRange(0, len(streams)-1).Draw(t, "dist")
	seed := rapid.Uint64().Draw(t, "seed")
	keys := draw(dist, seed, n, k)
	if opt.Padded {
		pad(seed, keys, 3, dist == 0)
		keys[0] = 0
	}
	return keys, opt
}

// TestChunksDoNotMatter: neither do looks in between or workers; frequencies are
// those of a map, and Check takes samples of the stream, shifted ones too.
func TestChunksDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys, opt := drawStream(t, 3000)
		want := analyze(t, keys, Options{WarpSize: opt.WarpSize, BlockSize: opt.BlockSize, Workers: 1,
			Padded: opt.Padded})
		a, err := NewAccumulator(opt)
		if err != nil {
			t.Fatal(err)
		}
		for rest := keys; len(rest) > 0; {
			n := rapid.IntRange(0, len(rest)).Draw(t, "chunk")
			if rapid.Bool().Draw(t, "rest") {
				n = len(rest)
			}
			if err := a.Add(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
			if rapid.IntRange(0, 9).Draw(t, "look") == 0 && a.updates > 0 {
				statsOf(t, a)
				a.Frequencies()
			}
		}
		if diff := cmp.Diff(want, statsOf(t, a)); diff != "" {
			t.Fatalf("one call against chunks:\n%s", diff)
		}
		targets := map[uint64]uint64{}
		for key, n := range frequencies(keys, 0) {
			if !opt.Padded || !isInactive(key) {
				targets[n]++
			}
		}
		var list []Frequency
		for _, n := range slices.Backward(slices.Sorted(maps.Keys(targets))) {
			list = append(list, Frequency{n, targets[n]})
		}
		if diff := cmp.Diff(list, a.Frequencies()); diff != "" {
			t.Fatal(diff)
		}
		opt.Sample = rapid.IntRange(4, 20).Draw(t, "sample")
		s, err := Analyze(keys, opt)
		if err != nil {
			return // a sample of padding
		}
		for _, by := range []float64{0, -1, 1, rapid.Float64Range(-100, 100).Draw(t, "by")} {
			if to := s.Shifted(by); to.checkHot() != nil || !to.HotKnown() {
				t.Fatalf("by %v: %v: %+v", by, to.checkHot(), to)
			}
		}
	})
}

func FuzzAnalyze(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0}, uint8(32), uint8(8), uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, warp, warps uint8, cut uint16) {
		var keys []uint32
		for ; len(data) >= 4; data = data[4:] {
			keys = append(keys, uint32(data[0])|uint32(data[1])<<8|uint32(data[2])<<16|uint32(data[3])<<24)
		}
		opt := Options{WarpSize: int(warp), BlockSize: int(warp) * int(warps)}
		a, err := NewAccumulator(opt)
		if err != nil || len(keys) == 0 {
			return
		}
		n := min(int(cut), len(keys))
		for _, part := range [][]uint32{keys[:n], keys[n:]} {
			if err := a.Add(part); err != nil {
				t.Fatal(err)
			}
		}
		got := statsOf(t, a)
		want := reference(keys, got.WarpSize, got.BlockSize, 0)
		if len(keys)/got.BlockSize > hotSampleSize(got.BlockSize) { // estimates
			for i, hot := range onlyEstimated(&want) {
				*hot = *onlyEstimated(&got)[i]
			}
		}
		if diff := cmp.Diff(want, got, near); diff != "" {
			t.Error(diff)
		}
	})
}

// onlyEstimated returns what is estimated of a stream of which all else is exact.
func onlyEstimated(s *Stats) []*float64 {
	list := []*float64{&s.HotWarps, &s.HotSegments}
	for i := range s.Misses {
		means := s.Misses[i].means()
		list = append(list, means[missDistinct:]...)
	}
	return list
}
