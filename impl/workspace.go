package impl

import (
	"math"
	"math/bits"
)

// Workspace is what the device memory of an implementation depends on, beside the
// stream and the targets. Sizes are in bytes.
type Workspace struct {
	Updates, Bins       uint64
	Element, Value, Sum uint64 // of a target, of an update's value, of the sum of a run
	Blocks, Resident    uint64 // of the launch, and blocks of one warp that are resident
	WarpLanes           int
	SharedBytes         uint64 // that a block can have
	Relaid              bool   // the stream arrives re-laid
	Wide                bool   // each update adds a row
	slots, width        uint64 // of the implementation
}

const keyBytes = 4 // the size of an index, and of a counter

// WorkspaceBytes returns the device memory that an implementation takes for one
// call beside the indices, values, old values and targets, with n updates of k
// targets of s bytes each, v bytes of value per update and S bytes per sum of a run:
//
//	ss, sr+ss      n · (4 + v)                  the stream as it is re-laid; 0 if relaid
//	sort           n · (4 + v) · min(2, d)      d digits of 8 bits, each sorted from one side to the other
//	               + 1024 · (d + n / tile)      counts of each digit, and of each tile
//	               + min(n, k) · (4 + S) + 4    each run's target and sum
//	segreduce      n · (4 + S) + 4              the same, with room for a run of each update
//	threadprivate  k · blocks · s               partial sums
//	coordinator    6 · 4 · slots                six arrays of a word per workgroup, each of whole 256 bytes
//	hot            4 · S                        the target of each slot
//	sort of rows   n · 16                       the row and the place of each update, before and after
//	partition      (n + 64 · P) · (2 + v)       updates by P = ceil(k / W) ranges, each from a multiple of 64
//	               + 4 · (3 · P + 1)            counts, starts and ends of the ranges
//	               + 16 · (P + 1024)            parts of the ranges, at most about so many
//
// and none for the others. These are the arrays of bindings/cuda/atomtune_sort.cuh and of the simulators;
// that library kernels align them to 256 bytes and keep a few words per tile is left out. Updates
// beyond 2^56 count as so many.
func (v Spec) WorkspaceBytes(w Workspace) uint64 {
	w.Updates = min(w.Updates, math.MaxUint64>>8)
	w.slots, w.width = uint64(v.Slots), uint64(v.Width)
	switch {
	case w.Wide && v.Algorithm == Sort:
		return sortRowsBytes(w)
	case w.Wide || v.Scatter && w.Relaid:
		return 0
	case v.Scatter:
		return w.Updates * (keyBytes + w.Value)
	case table[v.Algorithm].workspace == nil:
		return 0
	}
	return table[v.Algorithm].workspace(w)
}

func sortBytes(w Workspace) uint64 {
	const digit, block = 256, 256 // values of a digit, threads of a block
	digits := uint64(bits.Len64(max(w.Bins, 2)-1)+7) / 8
	items := uint64(max(SortItems(int(w.Element), w.WarpLanes, w.SharedBytes), 1))
	tiles := (w.Updates + block*items - 1) / (block * items)
	sorted := w.Updates * (keyBytes + w.Value)
	return sorted + max(sorted*(min(2, digits)-1)+keyBytes*digit*(digits+tiles), runBytes(w)) // one after the other
}

func runBytes(w Workspace) uint64 { return w.Updates*(keyBytes+w.Sum) + keyBytes }

func tagBytes(w Workspace) uint64 { return w.slots * keyBytes }

// BucketStep is the number of updates of which the start of a range in the parted stream is a
// multiple, so that blocks load several at once.
const BucketStep = 64

// PlaceBytes is the size of the number of a target in its range.
const PlaceBytes = 2

func bucketBytes(w Workspace) uint64 {
	const partBytes, parts = 4 * keyBytes, 1024 // of a part, and beside one for each range
	ranges := Spec{Width: int(w.width)}.Buckets(w.Bins)
	return (w.Updates+BucketStep*ranges)*(PlaceBytes+w.Value) + keyBytes*(3*ranges+1) +
		partBytes*(ranges+parts)
}

func threadBytes(w Workspace) uint64 { return w.Bins * w.Blocks * w.Element }

// groupBytes is what the coordinator's arrays take: one slot for each workgroup of
// one wavefront that runs beside the coordinator, and its own.
func groupBytes(w Workspace) uint64 {
	const arrays, chunk = 6, 256
	lanes := uint64(w.WarpLanes)
	slots := min((w.Updates+lanes-1)/lanes, w.Resident-1) + 1
	return arrays * ((slots*keyBytes + chunk - 1) / chunk * chunk)
}
