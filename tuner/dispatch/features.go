package dispatch

import (
	"math"
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// NumFeatures is the number of Features, of which the first NumKnown are known without a sample.
const (
	NumFeatures = 14
	NumKnown    = 5
)

// The places of the features.
const (
	Updates  = iota // of the call, at most 2^32-1
	Bins            // targets, at most 2^32-1
	Type            // see ClassOf
	One             // 1 where each update adds the constant 1
	Returns         // 1 where each update wants the old value of its target
	Distinct        // bins of 64 in which the targets of a measured warp fall, summed over the warps
	Highest         // lanes with the target of lane 0, 8, 16 or 24, whichever has most, summed
	Runs            // heads of runs of equal neighbouring lanes, summed
	Sectors         // as Distinct, of sectors of 32 bytes
	Full            // measured warps half of whose lanes, as Highest has them, are on one target
	Pairs           // pairs of counted warps with targets on one counter
	Repeated        // warps with targets on a counter, less one, summed over the counters
	Used            // counters on which a counted warp has targets
	Top             // the most warps on one counter
)

// Features is what a tree reads.
type Features [NumFeatures]uint32

var names = [NumFeatures]string{
	"updates", "bins", "type", "one", "returns",
	"distinct", "highest", "runs", "sectors", "full", "pairs", "repeated", "used", "top",
}

// Names lists the features in their order.
func Names() []string { return names[:] }

// The size of the sample: up to so many whole warps, at places spread over the stream. The updates of
// every second one are noted by target, every fourth one is measured. A table of hot targets is filled
// from all of them.
const (
	WarpLanes      = 32
	SampledWarps   = 64
	SampledUpdates = SampledWarps * WarpLanes
	CountedEvery   = 2
	MeasuredEvery  = 4
	Counters       = 8192 // a power of two
	SectorBytes    = 32
)

// The multipliers of Knuth's multiplicative hash, which places the warps within their parts of the
// stream and ends the hash of bins, and of xxHash (its second prime), which spreads targets over
// the counters.
const (
	placeFactor   = 2654435769
	counterFactor = 2246822519
	counterShift  = 19 // keeps the 13 highest bits of 32
)

// ClassOf returns what a tree knows of an element type: 0 for integers of 4 bytes and 1 for floats, 2 and 3 for
// those of 8 bytes.
func ClassOf(t device.Type) (class uint32) {
	if t.Bytes() == 8 {
		class = 2
	}
	if t.Float() {
		class++
	}
	return class
}

// Known returns the features of a call that need no sample; the others are 0.
func Known(c device.Call, updates, bins uint64) (f Features) {
	f[Updates], f[Bins], f[Type] = capped(updates), capped(bins), ClassOf(c.Type)
	if c.Operand == device.One {
		f[One] = 1
	}
	if c.Returns {
		f[Returns] = 1
	}
	return f
}

// Sample returns the features of a stream in memory.
func Sample(index []uint32, c device.Call, bins uint64) Features {
	return SampleFrom(uint64(len(index)), func(i uint64) uint32 { return index[i] }, c, bins)
}

// SampleFrom returns the features of a stream of n updates, of which it reads the targets of
// some by number. At returns impl.NoTarget for an index that is out of range or ignored.
func SampleFrom(n uint64, at func(update uint64) uint32, c device.Call, bins uint64) Features {
	f := Known(c, n, bins)
	var warps [Counters]uint32 // a bit each
	for j := uint64(0); j < WarpsOf(n); j += CountedEvery {
		lanes := Warp(j, n, at)
		if j%MeasuredEvery == 0 {
			f.measure(&lanes, uint32(SectorBytes/c.Type.Bytes()))
		}
		for _, target := range lanes {
			warps[target*counterFactor>>counterShift] |= 1 << (j / CountedEvery)
		}
	}
	for _, of := range warps {
		if n := uint32(bits.OnesCount32(of)); n > 0 {
			f[Pairs] += n * (n - 1) / 2
			f[Repeated] += n - 1
			f[Used]++
			f[Top] = max(f[Top], n)
		}
	}
	return f
}

// WarpsOf returns the number of warps that are sampled of n updates: min(64, n/32).
func WarpsOf(n uint64) uint64 { return min(SampledWarps, n/WarpLanes) }

// Warp returns the targets of the j-th sampled warp.
func Warp(j, n uint64, at func(update uint64) uint32) (lanes [WarpLanes]uint32) {
	first := WarpPlace(j, n) * WarpLanes
	for i := range lanes {
		lanes[i] = at(first + uint64(i))
	}
	return lanes
}

// WarpPlace returns the number of the j-th sampled warp: each of 64 equal parts of the stream has
// one, at a place of its own. Of up to 64 whole warps all are sampled. It needs no more than 64 bits
// for up to 2^32 updates; beyond, the products lose their highest bits, in every language alike, and
// the places stay within the stream.
func WarpPlace(j, n uint64) uint64 {
	whole := n / WarpLanes
	if whole <= SampledWarps {
		return j
	}
	within := uint64(uint32(j*placeFactor)) * whole >> 32
	return (j*whole + within) / SampledWarps
}

// measure adds the features of a warp, whose targets lie in sectors of so many.
func (f *Features) measure(lanes *[WarpLanes]uint32, sector uint32) {
	most := uint32(0)
	for i := 0; i < WarpLanes; i += WarpLanes / 4 {
		same := uint32(0)
		for _, target := range lanes {
			if target == lanes[i] {
				same++
			}
		}
		most = max(most, same)
	}
	f[Highest] += most
	if most >= WarpLanes/2 {
		f[Full]++
	}
	targets, sectors := uint64(0), uint64(0)
	for i, target := range lanes {
		if i == 0 || lanes[i-1] != target {
			f[Runs]++
		}
		targets |= bin(target)
		sectors |= bin(target / sector)
	}
	f[Distinct] += uint32(bits.OnesCount64(targets))
	f[Sectors] += uint32(bits.OnesCount64(sectors))
}

// bin is that of 64 into which a key falls by a hash: counting them takes a device a tenth of the
// time that different keys take.
func bin(key uint32) uint64 {
	hash := key * counterFactor
	hash = (hash ^ hash>>15) * placeFactor
	return 1 << (hash >> 26)
}

// Tags returns the table of hot targets that a call fills from its sample, impl.NoTarget in an empty slot:
// each slot has the target of the most warps of those that hash there, of equal ones the first, and none of
// a single warp. Targets that share a counter share its warps, and an odd warp has the bit of an even one half
// a stream away.
func Tags(n uint64, at func(update uint64) uint32, slots int) (tags []uint32) {
	var warps [Counters]uint32
	var all []uint32
	for j := range WarpsOf(n) {
		lanes := Warp(j, n, at)
		all = append(all, lanes[:]...)
		for _, target := range lanes {
			warps[target*counterFactor>>counterShift] |= 1 << ((j/2 + j%2*SampledWarps/4) % (SampledWarps / 2))
		}
	}
	best := make([]int, slots)
	tags = slices.Repeat([]uint32{impl.NoTarget}, slots)
	for _, target := range all {
		count := bits.OnesCount32(warps[target*counterFactor>>counterShift])
		slot := impl.Slot(target, slots)
		if count >= 2 && count > best[slot] && target != impl.NoTarget {
			best[slot], tags[slot] = count, target
		}
	}
	return tags
}

func capped(x uint64) uint32 { return uint32(min(x, math.MaxUint32)) }
