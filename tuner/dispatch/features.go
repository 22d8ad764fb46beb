package dispatch

import (
	"math"

	"github.com/atomtune/atomtune/device"
)

// NumFeatures is the number of Features, of which the first NumKnown are known without a sample.
const (
	NumFeatures = 13
	NumKnown    = 5
)

// The places of the features.
const (
	Updates  = iota // of the call, at most 2^32-1
	Bins            // targets, at most 2^32-1
	Type            // see ClassOf
	One             // 1 where each update adds the constant 1
	Returns         // 1 where each update wants the old value of its target
	Distinct        // different targets of a sampled warp, summed over the warps
	Highest         // lanes on the most frequent target of a sampled warp, summed
	Runs            // heads of runs of equal neighbouring lanes, summed
	Sectors         // different sectors of 32 bytes that a sampled warp updates, summed
	Top             // the highest count of the counters
	Pairs           // pairs of sampled updates on one counter
	Repeated        // sampled updates on counters with at least RepeatedCount
	Used            // counters with a count
)

// Features is what a tree reads. Sums over warps are scaled to SampledWarps, and those over
// single updates to SampledUpdates, where the stream is too short for so many.
type Features [NumFeatures]uint32

var names = [NumFeatures]string{
	"updates", "bins", "type", "one", "returns",
	"distinct", "highest", "runs", "sectors", "top", "pairs", "repeated", "used",
}

// Names lists the features in their order.
func Names() []string { return names[:] }

// The size of the sample.
const (
	WarpLanes      = 32
	SampledWarps   = 8
	SampledUpdates = 2048
	Counters       = 8192 // a power of two
	RepeatedCount  = 4
	SectorBytes    = 32
)

// The multipliers of Knuth's multiplicative hash, which places the samples within their parts of
// the stream, and of xxHash (its second prime), which spreads targets over the counters.
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
// some by number. At returns impl.NoTarget for an index that is out of range or ignored. The warps
// and single updates that it reads are those of WarpPlace and UpdatePlace.
func SampleFrom(n uint64, at func(update uint64) uint32, c device.Call, bins uint64) Features {
	f := Known(c, n, bins)
	f.addWarps(n, at, uint64(c.Type.Bytes()))
	f.addUpdates(n, at)
	return f
}

// WarpsOf returns the number of warps that are sampled of n updates: min(8, n/32).
func WarpsOf(n uint64) uint64 { return min(SampledWarps, n/WarpLanes) }

// WarpPlace returns the number of the j-th sampled warp: each of 8 equal parts of the stream has
// one, at a place of its own. Of up to 8 whole warps all are sampled.
func WarpPlace(j, n uint64) uint64 { return place(j, n/WarpLanes, SampledWarps) }

// UpdatePlace returns the number of the j-th sampled single update, of min(2048, n).
func UpdatePlace(j, n uint64) uint64 { return place(j, n, SampledUpdates) }

// place needs no more than 64 bits for up to 2^32 updates; beyond, the products lose their highest
// bits, in every language alike, and the places stay within the stream.
func place(j, of, parts uint64) uint64 {
	if of <= parts {
		return j
	}
	within := uint64(uint32(j*placeFactor)) * of >> 32
	return (j*of + within) / parts
}

// addWarps sums up the sampled warps.
func (f *Features) addWarps(n uint64, at func(uint64) uint32, bytes uint64) {
	warps := WarpsOf(n)
	var sums [NumFeatures]uint64
	for j := range warps {
		first := WarpPlace(j, n) * WarpLanes
		var lanes [WarpLanes]uint32
		for i := range lanes {
			lanes[i] = at(first + uint64(i))
		}
		sumWarp(&lanes, bytes, &sums)
	}
	for _, k := range []int{Distinct, Highest, Runs, Sectors} {
		if warps > 0 {
			f[k] = uint32(sums[k] * SampledWarps / warps)
		}
	}
}

// sumWarp adds what is counted in one warp: each lane looks whether it is the first of its
// target and of its sector.
func sumWarp(lanes *[WarpLanes]uint32, bytes uint64, sums *[NumFeatures]uint64) {
	highest := 0
	for i, target := range lanes {
		same, firstTarget, firstSector := 0, uint64(1), uint64(1)
		for k, other := range lanes {
			if other == target {
				same++
				if k < i {
					firstTarget = 0
				}
			}
			if k < i && uint64(other)*bytes/SectorBytes == uint64(target)*bytes/SectorBytes {
				firstSector = 0
			}
		}
		highest = max(highest, same)
		sums[Distinct] += firstTarget
		sums[Sectors] += firstSector
		if i == 0 || lanes[i-1] != target {
			sums[Runs]++
		}
	}
	sums[Highest] += uint64(highest)
}

// addUpdates counts the sampled single updates.
func (f *Features) addUpdates(n uint64, at func(uint64) uint32) {
	updates := min(SampledUpdates, n)
	if updates == 0 {
		return
	}
	var counts [Counters]uint16
	for j := range updates {
		counts[at(UpdatePlace(j, n))*counterFactor>>counterShift]++
	}
	var top, pairs, repeated, used uint64
	for _, count := range counts {
		c := uint64(count)
		top = max(top, c)
		if c > 0 {
			pairs += c * (c - 1) // ordered ones
			used++
		}
		if c >= RepeatedCount {
			repeated += c
		}
	}
	scaled := func(x uint64) uint64 { return x * SampledUpdates / updates }
	f[Top], f[Pairs] = capped(scaled(top)), capped(scaled(scaled(pairs)))
	f[Repeated], f[Used] = capped(scaled(repeated)), capped(scaled(used))
}

func capped(x uint64) uint32 { return uint32(min(x, math.MaxUint32)) }
