package kernel

// Totals are whole-number statistics of warps, blocks and updates, added up. Those of the highest
// frequencies leave partial warps and blocks out, whose share of threads has another denominator.
type Totals [totalCount]uint64

// The statistics of one warp.
const (
	WarpHighest = iota // the highest frequency of one target
	WarpDistinct
	WarpSectors4
	WarpSectors8
	WarpPasses4
	WarpPasses8
	WarpBankDegree
	WarpBankLanes
	warpStatistics // how many there are
)

const (
	Changes   = warpStatistics + iota // updates whose predecessor has another target, or is padding
	Clustered                         // updates whose predecessor in the warp has the same target
	BlockHighest
	BlockDistinct
	Padding // padding
	totalCount
)

func (s *Totals) add(t Totals) {
	for i, x := range t {
		s[i] += x
	}
}

// laneOrder returns the sums that depend on which updates are neighbours.
func (k *Kernel) laneOrder(keys []uint32) Sums {
	if k.padded {
		return k.paddedOrder(keys)
	}
	last := len(keys) - 1
	equal := countEqual(keys[:last], keys[1:])
	acrossWarps := uint64(0)
	for i := k.warpSize; i < len(keys); i += k.warpSize {
		if keys[i-1] == keys[i] {
			acrossWarps++
		}
	}
	s := Sums{Updates: uint64(len(keys)), First: keys[0], Last: keys[last]}
	s.Totals[Changes], s.Totals[Clustered] = uint64(last)-equal, equal-acrossWarps
	return s
}

func countEqual(a, b []uint32) uint64 {
	var n uint64
	b = b[:len(a)]
	for i, x := range a {
		n += IsZero(uint64(x ^ b[i]))
	}
	return n
}

// banks is the number of shared-memory banks, each one 4-byte word wide.
const banks = 32

// SectorBits4 and SectorBits8 are the logarithms of the number of targets in a
// 32-byte sector, for elements of 4 and of 8 bytes.
const (
	SectorBits4 = 3
	SectorBits8 = 2
)
