package collision

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
	{"sorted", func(_ *rand.Rand, i, n int,
		k uint64) uint32 {
		return uint32(uint64(i) * k / uint64(n))
	}},
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

func TestAnalyzeMatchesReference(t *testing.T) {
	shapes := [][2]int{{32, 256}, {32, 32}, {32, 64}, {32, 96}, {32, 128}, {32, 512}, {32, 1024},
		{1, 1}, {1, 7}, {7, 21}, {16, 256}, {64, 256}, {33, 330}, {1024, 1024}}
	bins := []uint64{1, 3, 100, 256, 65536, 65537, 1 << 20, 1 << 32}
	lengths := []int{1, 31, 32, 33, 255, 256, 257, 511, 512, 1024, 4096, 9000}
	checked := 0
	for dist := range streams {
		for i, n := range lengths {
			for j, k := range bins {
				shape := shapes[(dist+3*i+5*j)%len(shapes)]
				if (i+j)%2 == 0 {
					shape = shapes[j%7]
				}
				keys := draw(dist, uint64(i), n, k)
				got, err := Analyze(keys, Options{WarpSize: shape[0], BlockSize: shape[1]})
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("dist=%s,n=%d,k=%d,shape=%v", streams[dist].name, n, k, shape)
				if diff := cmp.Diff(reference(keys, shape[0], shape[1], 0), got, near); diff != "" {
					t.Fatalf("%s: reference against Analyze:\n%s", name, diff)
				}
				checked++
			}
		}
	}
	if want := len(streams) * len(lengths) * len(bins); checked != want {
		t.Errorf("checked %d streams, want %d", checked, want)
	}
}
