package device

import "github.com/atomtune/atomtune/variant"

// PartShapes are the launches of `partition` that work on the stream. Two of one block each come
// between them: after Count one that finds where each range starts, after Split one that cuts the
// ranges into parts.
type PartShapes struct {
	Count Shape // counts the updates of each range
	Split Shape // writes a tile of updates at a time to their ranges
	Items int   // updates of a thread in a tile; 0: no tile fits
	Add   Shape // adds each part in shared memory
	// Whole and Part are multiples of variant.BucketStep: the most updates of a range that is one
	// part, and those of the parts, but for the last, of others.
	Whole, Part uint64
}

// mostParts is the number of parts of a range at most. A block adds the updates of a hot target one
// by one, so that a range with many is cut finely; one thread writes its parts.
const mostParts = 1024

// The threads of a block that counts or splits, and of one that adds where several are resident.
const (
	splitThreads = 1024
	addThreads   = 512
)

// PartShapes returns the launches of `partition` for targets of type t. A tile has 16 updates of
// each thread, or half or a quarter as many where the tile and the counters do not fit: a target
// and a value of each update, a start and a place of each range.
//
// Where there is a range for half of the resident blocks, one with up to 5/4 of the updates of a
// mean range is whole, and one with more is cut finely. Else a part has a resident block's equal
// share.
func (l Limits) PartShapes(v variant.Variant, t Type, bins, updates uint64) (s PartShapes) {
	ranges := v.Buckets(bins)
	for items := 16; items >= 4 && s.Items == 0; items /= 2 {
		if bytes := l.splitBytes(items, t, ranges); bytes <= l.SharedBytes {
			s.Split, s.Items = l.resident(splitThreads, bytes, updates, items), items
		}
	}
	s.Count = l.resident(splitThreads, 4*ranges, updates, 1)
	bytes, threads := v.SharedBytes(bins, t.Bytes()), addThreads
	if 2*bytes > l.SharedBytesPerSM {
		threads = splitThreads
	}
	s.Add = l.resident(threads, bytes, updates, 1)
	blocks := uint64(s.Add.BlocksPerSM * l.SMs)
	s.Part = inSteps(updates, blocks)
	s.Whole = s.Part
	if 2*ranges >= blocks {
		s.Whole, s.Part = inSteps(5*updates, 4*ranges), inSteps(updates, mostParts)
	}
	s.Add.Blocks = ranges + updates/s.Part
	return s
}

// inSteps is a share of so many updates, in whole steps of a bucket.
func inSteps(updates, shares uint64) uint64 {
	step := variant.BucketStep * shares
	return max(1, (updates+step-1)/step) * variant.BucketStep
}

// splitBytes is the shared memory of a block that splits tiles: the tile, the counters, and a word for
// each lane of a warp and one more, in which the block's warps add up their counts.
func (l Limits) splitBytes(items int, t Type, ranges uint64) uint64 {
	tile := uint64(splitThreads*items) * uint64(4+t.Bytes())
	return tile + 4*(2*ranges+1+uint64(l.WarpLanes+1))
}

// MostParted returns the most targets for which a tile and the counters of the ranges fit into a
// block, 0 where a tile alone does not.
func (l Limits) MostParted(v variant.Variant, t Type) uint64 {
	least := l.splitBytes(4, t, 0)
	if l.SharedBytes < least {
		return 0
	}
	return (l.SharedBytes - least) / 8 * uint64(v.Width)
}

// resident returns a launch of such blocks over so many updates, of which a thread takes so many at
// a time: as many blocks as are resident at once, or as there are updates for.
func (l Limits) resident(threads int, shared, updates uint64, items int) Shape {
	warps := (threads + l.WarpLanes - 1) / l.WarpLanes
	fit := int(l.SharedBytesPerSM / max(1, shared))
	s := Shape{Threads: threads, SharedBytes: shared, Unroll: 1,
		BlocksPerSM: max(1, min(fit, l.MaxWarps/warps, l.MaxBlocks))}
	tile := uint64(threads * items)
	s.Blocks = max(1, min(uint64(s.BlocksPerSM*l.SMs), (updates+tile-1)/tile))
	return s
}
