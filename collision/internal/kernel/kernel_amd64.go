//go:build amd64 && !purego

package kernel

import (
	"math/bits"

	"golang.org/x/sys/cpu"
)

//go:generate go -C ../asmgen run . -out ../kernel/kernel_amd64.s -stubs ../kernel/kernel_stub_amd64.go -pkg kernel

// processorVectors lists the vector instructions of this processor, the widest last.
func processorVectors() (has []string) {
	if cpu.X86.HasAVX2 {
		has = append(has, VectorsAVX2)
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasPOPCNT {
		has = append(has, VectorsAVX512)
	}
	return has
}

const (
	vectorWarp   = 32 // the warp size that the kernels measure
	groupAVX512  = 16 // warps that they measure at once, one per vector lane
	groupAVX2    = 8
	vectorKeys   = 16   // keys of a vector of AVX-512
	scratchKeys  = 1024 // of the scratch, behind which stand those of a group in part
	vectorMerged = 256  // updates of the largest block that AVX-512 sorts
)

// vectorKernel is what vector instructions can do of a kernel. The rest is done by portable code.
type vectorKernel struct {
	avx512  bool
	group   int // warps that are measured at once; 0: none
	scratch []uint32
}

func newVectorKernel(o Options) vectorKernel {
	v := vectorKernel{avx512: o.Vectors == VectorsAVX512}
	if o.WarpSize == vectorWarp && o.Vectors != VectorsNone {
		v.group = groupAVX2
		if v.avx512 {
			v.group = groupAVX512
		}
		// A large slice begins at a page, so no vector straddles a cache line.
		v.scratch = make([]uint32, 16*scratchKeys)
	}
	return v
}

// sorts tells whether warps that are measured stand in order afterwards.
func (v *vectorKernel) sorts() bool { return v.avx512 && v.group > 0 }

// measureWarps adds the totals of complete warps, sorts them if it can, and returns how many keys these are.
func (v *vectorKernel) measureWarps(sorted, keys []uint32, s *Totals) int {
	if v.group == 0 {
		return 0
	}
	warps := len(keys) / vectorWarp
	groups := warps / v.group
	done := groups * v.group * vectorWarp
	if groups > 0 {
		v.measureGroups(sorted, keys, groups, v.group, s)
	}
	if rest := warps % v.group; rest > 0 { // beside others that do not count
		end, group := warps*vectorWarp, v.scratch[scratchKeys:]
		copy(group, keys[done:end])
		v.measureGroups(group, group, 1, rest, s)
		if v.sorts() {
			copy(sorted[done:end], group)
		}
		done = end
	}
	return done
}

// measureGroups measures groups of warps and adds the totals of the first few of each.
func (v *vectorKernel) measureGroups(sorted, keys []uint32, groups, counted int, s *Totals) {
	var lanes [warpStatistics][groupAVX512]uint32 // one warp a lane
	if v.avx512 {
		warpGroupsAVX512(&sorted[0], &keys[0], groups, &v.scratch[0], &lanes)
	} else {
		warpGroupsAVX2(&keys[0], groups, &v.scratch[0], &lanes)
	}
	for i := range lanes {
		for _, x := range lanes[i][:counted] {
			s[i] += uint64(x)
		}
	}
}

// sortBlocks sorts the whole blocks of sorted warps, of sizes that it can, and returns how many keys these are.
func (v *vectorKernel) sortBlocks(keys []uint32, block int) int {
	whole := len(keys) / block * block
	if !v.sorts() || whole == 0 || block > vectorMerged || bits.OnesCount(uint(block)) != 1 {
		return 0
	}
	for run := vectorWarp; run < block; run *= 2 {
		pairs := whole / (2 * run)
		switch run {
		case 32:
			mergeRuns32AVX512(&keys[0], pairs)
		case 64:
			mergeRuns64AVX512(&keys[0], pairs)
		case 128:
			mergeRuns128AVX512(&keys[0], pairs)
		}
	}
	return whole
}

func (v *vectorKernel) countEqual(a, b []uint32) uint64 {
	vectors := len(a) / vectorKeys
	if !v.avx512 || vectors == 0 {
		return countEqual(a, b)
	}
	rest := vectors * vectorKeys
	n := countEqualAVX512(&a[0], &b[0], vectors)
	return uint64(n) + countEqual(a[rest:], b[rest:])
}

// countTargetWarps counts a target in as many whole warps as it can, and returns how many keys these are.
func (v *vectorKernel) countTargetWarps(keys []uint32, target uint32) (c TargetCount, done int) {
	warps := len(keys) / vectorWarp
	if !v.sorts() || warps == 0 {
		return c, 0
	}
	var n [3]uint64
	countTargetAVX512(&keys[0], warps, target, &n)
	return TargetCount{Updates: n[0], Warps: n[1], Segments: n[2]}, warps * vectorWarp
}

// highestFrequency returns the length of the longest run of equal keys in a sorted block, and the
// number of runs. By bisection: a target occurs more than d times exactly if some key equals the one
// d places before.
func (v *vectorKernel) highestFrequency(sorted []uint32) (highest, distinct uint64) {
	n := len(sorted)
	moreThan := func(d int) uint64 {
		if d >= n {
			return 0
		}
		return v.countEqual(sorted[:n-d], sorted[d:])
	}
	repeats := moreThan(1)
	distinct = uint64(n) - repeats
	if repeats == 0 {
		return 1, distinct
	}
	low, high := 1, 2 // more than low times
	for high <= int(repeats) && moreThan(high) > 0 {
		low, high = high, 2*high
	}
	for low+1 < high {
		if mid := (low + high) / 2; moreThan(mid) > 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return uint64(low + 1), distinct
}
