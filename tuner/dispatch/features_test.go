package dispatch_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// plainPlace is dispatch.WarpPlace in numbers without bounds.
func plainPlace(j, of, parts uint64) uint64 {
	if of <= parts {
		return j
	}
	number := func(x uint64) *big.Int { return new(big.Int).SetUint64(x) }
	fraction := new(big.Int).Mul(number(j), number(2654435769))
	fraction.And(fraction, number(1<<32-1))
	within := fraction.Rsh(fraction.Mul(fraction, number(of)), 32)
	sum := within.Add(within, new(big.Int).Mul(number(j), number(of)))
	return sum.Div(sum, number(parts)).Uint64()
}

// plain computes the features as their definitions read, by sets and maps.
func plain(index []uint32, c device.Call, bins uint64) (f dispatch.Features) {
	n := uint64(len(index))
	f = dispatch.Known(c, n, bins)
	whole := n / 32
	counters := map[uint32]map[uint64]bool{}
	bin := func(key uint32) uint32 {
		hash := key * 2246822519
		return (hash ^ hash/(1<<15)) * 2654435769 / (1 << 26)
	}
	for j := uint64(0); j < min(64, whole); j += 2 {
		lanes := index[32*plainPlace(j, whole, 64):][:32]
		for _, target := range lanes {
			at := (target * 2246822519) >> 19
			if counters[at] == nil {
				counters[at] = map[uint64]bool{}
			}
			counters[at][j] = true
		}
		if j%4 != 0 {
			continue
		}
		lanesOf, targets, sectors := map[uint32]uint32{}, map[uint32]bool{}, map[uint32]bool{}
		for i, target := range lanes {
			lanesOf[target]++
			targets[bin(target)] = true
			sectors[bin(uint32(uint64(target)*uint64(c.Type.Bytes())/32))] = true
			if i == 0 || lanes[i-1] != target {
				f[dispatch.Runs]++
			}
		}
		most := max(lanesOf[lanes[0]], lanesOf[lanes[8]], lanesOf[lanes[16]], lanesOf[lanes[24]])
		f[dispatch.Highest] += most
		f[dispatch.Distinct] += uint32(len(targets))
		f[dispatch.Sectors] += uint32(len(sectors))
		if most >= 16 {
			f[dispatch.Full]++
		}
	}
	for _, warps := range counters {
		count := uint32(len(warps))
		f[dispatch.Top] = max(f[dispatch.Top], count)
		f[dispatch.Pairs] += count * (count - 1) / 2
		f[dispatch.Repeated] += count - 1
	}
	f[dispatch.Used] = uint32(len(counters))
	return f
}

// TestSample compares the features with their plain definitions, on streams of every length
// around those at which the sample changes.
func TestSample(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	compared := 0
	for _, n := range []int{0, 1, 2, 31, 32, 33, 63, 64, 65, 128, 129, 257, 300, 2047, 2048, 2080,
		3000, 65536, 100003} {
		for _, bins := range []uint64{1, 3, 40, 5000, 1 << 31} {
			index := make([]uint32, n)
			for i := range index {
				if index[i] = uint32(r.Uint64N(bins)); r.IntN(3) == 0 && i > 0 {
					index[i] = index[i-1]
				}
				if r.IntN(1000) == 0 {
					index[i] = impl.NoTarget
				}
			}
			for k, typ := range []device.Type{device.I32, device.F32, device.U64, device.F64} {
				c := device.Call{Type: typ, Operand: device.Operand(1 - k%2), Returns: n%2 == 0}
				if got, want := dispatch.Sample(index, c, bins), plain(index, c, bins); got != want {
					t.Fatalf("%d updates, %d targets, %s: %v, want %v", n, bins, typ, got, want)
				}
				compared++
			}
		}
	}
	if compared != 19*5*4 {
		t.Errorf("%d compared", compared)
	}
}

// TestPlaces: each part of a stream of up to 2^32 updates has one warp, without overflow.
func TestPlaces(t *testing.T) {
	for _, n := range []uint64{2049, 1 << 20, 1<<31 + 7, 1<<32 - 1} {
		for j := range dispatch.WarpsOf(n) {
			if at := dispatch.WarpPlace(j, n); at != plainPlace(j, n/32, 64) || at < j*(n/32)/64 || at >= n/32 {
				t.Fatalf("warp %d of %d updates: place %d", j, n, at)
			}
		}
	}
}

// TestCapped: counts beyond 32 bits are the largest number.
func TestCapped(t *testing.T) {
	f := dispatch.SampleFrom(1<<35, func(uint64) uint32 { return 5 }, device.Call{}, 1<<40)
	if f[dispatch.Updates] != 1<<32-1 || f[dispatch.Bins] != 1<<32-1 || f[dispatch.Used] != 1 {
		t.Errorf("%v", f)
	}
}
