package fit

import (
	"math"

	"github.com/atomtune/atomtune/device"
)

// knownHashes are the address hashes that are tried on readings of throughput.
// The one of 80 slices was found by a random search, by single bits, over such
// readings of an H200; it is one of many that say nearly the same.
func knownHashes() []device.SliceHash {
	return []device.SliceHash{{
		Modulus: 5,
		Low:     []uint64{0xd011, 0x4c9d, 0x3da9, 0xd474},
		Fold:    []uint64{0x5793, 0x78e3, 0x9019},
	}}
}

// An allocator's page, and where in it an array that shares its page with others
// begins, if nothing but a piece of the least size lies before it.
const (
	allocationPage  = 2 << 20
	allocationPiece = 512
)

// hashedTargets is the range, in bytes, over which hashes are compared: what lies
// further apart takes part in few readings.
const hashedTargets = 1 << 22

// hash sets the address hash, where a known one meets the readings better than
// regions that take turns do.
func (b *builder) hash(alone float64, found layout) {
	var rows []reading
	for _, r := range b.everySM("u32_add", "warp") {
		stride := uint64(r.number("stride"))
		if r.number("targets") >= 1 && stride >= found.chunk && stride%found.chunk == 0 && uint64(r.number("targets"))*stride <= hashedTargets {
			rows = append(rows, r)
		}
	}
	if len(rows) < 20 || !(alone > 0) {
		return
	}
	turns := func(chunk uint64) uint64 { return found.slice(chunk*found.chunk, uint64(b.p.Global.Slices.Value)) }
	least := hashLoss(rows, alone, found.chunk, b.p.Global.Slices.Value, turns)
	for _, h := range knownHashes() {
		if float64(h.Slices()) != b.p.Global.Slices.Value {
			continue
		}
		loss := hashLoss(rows, alone, found.chunk, b.p.Global.Slices.Value, h.Slice)
		if !(loss < least) {
			continue
		}
		least = loss
		h.SmallBase, h.Page = allocationPiece, allocationPage
		own := estimate{}.from("global", "throughput op=u32_add spread=warp at strides of whole chunks over up to %d bytes: the known hash whose fullest slice explains them best, "+
			"%.1f %% off in the root mean square (it was searched on such readings, these among them); small_base and page are assumed: the allocator's second piece of %d bytes", hashedTargets, 100*loss, allocationPiece)
		h.Source, h.Rationale = b.source("readings.csv", "suite "+own.source), own.rationale
		b.p.Global.Hash = &h
	}
}

// slice is the slice of an address where regions take turns.
func (l layout) slice(at, slices uint64) uint64 {
	return at/l.region%(slices/l.slices)*l.slices + at/l.chunk%l.slices
}

// hashLoss is the root mean square of the logarithm of modelled over read time,
// where the fullest slice serves its targets one by one.
func hashLoss(rows []reading, alone float64, chunk uint64, slices float64, sliceOf func(chunk uint64) uint64) float64 {
	sum := 0.0
	for _, r := range rows {
		step, targets := uint64(r.number("stride"))/chunk, uint64(r.number("targets"))
		load := make([]int, int(slices))
		most := 0
		for i := range targets {
			s := sliceOf(i * step)
			load[s]++
			most = max(most, load[s])
		}
		model := alone * float64(most) / float64(targets)
		d := math.Log(model / r.Value)
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(rows)))
}
