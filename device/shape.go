package device

import (
	"cmp"
	"fmt"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/visible"
)

// Shape is how an implementation's main kernel is launched, so that prediction, simulation and
// measurement speak of the same kernel. It is zero for implementations of several kernels, whose
// grids follow from the stream.
type Shape struct {
	Blocks      uint64 `json:"blocks"`       // in the grid; they loop over the stream in its stride
	Threads     int    `json:"threads"`      // per block
	SharedBytes uint64 `json:"shared_bytes"` // per block
	Unroll      int    `json:"unroll"`       // turns whose loads come before the adds of the first
	BlocksPerSM int    `json:"-"`            // resident at once
}

// Words is String in words.
func (s Shape) Words() string { return s.Launch().Words() }

// Words is a launch of which all is fixed in words, "" for one by the rule.
func (l Launch) Words() string {
	if l.Unroll == 0 {
		return ""
	}
	text := visible.Counted(l.Blocks, "block") + " of " + visible.Counted(uint64(l.Threads), "thread")
	if l.Unroll > 1 {
		text += fmt.Sprintf(", %d updates in flight", l.Unroll)
	}
	return text
}

// String returns BxT as Launch does, with the iterations at once where they are several; "" where the
// shape is zero.
func (s Shape) String() string {
	l := s.Launch()
	if l.Unroll == 0 {
		return ""
	}
	if l.Unroll == 1 {
		l.Unroll = 0
	}
	return l.String()
}

// Recorded returns the shape as readings have it: BLOCKSxTHREADS+SHAREDBYTES.
func (s Shape) Recorded() string { return fmt.Sprintf("%dx%d+%d", s.Blocks, s.Threads, s.SharedBytes) }

// Launch is what has to be fixed of a launch to get this one.
func (s Shape) Launch() Launch { return Launch{s.Blocks, s.Threads, s.Unroll} }

// Limits are the numbers of a device that shape a launch.
type Limits struct {
	SMs                int
	WarpLanes          int
	MaxWarps           int // resident per SM
	MaxBlocks          int // resident per SM
	MaxThreadsPerBlock int
	SharedBytesPerSM   uint64
	SharedBytes        uint64 // most that a block can have
}

// Limits returns the profile's limits.
func (p *Profile) Limits() Limits {
	return Limits{
		SMs:                int(p.Core.SMs.Value),
		WarpLanes:          int(p.Core.WarpLanes.Value),
		MaxWarps:           int(p.Core.MaxWarps.Value),
		MaxBlocks:          int(p.Core.MaxBlocks.Value),
		MaxThreadsPerBlock: int(p.Core.MaxThreadsPerBlock.Value),
		SharedBytesPerSM:   uint64(p.Shared.BytesPerSM.Value),
		SharedBytes:        uint64(p.Shared.BytesPerBlock.Value),
	}
}

// Shape returns the launch of the implementation's main kernel over a stream. What the caller does
// not fix follows a rule: blocks of 256 threads, 1,024 where the private copies of a block leave
// too few blocks on an SM to fill it, no more blocks than are resident at once, as many for each
// range of targets, and one iteration at a time. Profile.CanLaunch says whether the device can run it.
// Where each update adds a row, all follows from its width: see RowShape.
func (l Limits) Shape(v impl.Spec, c Call, bins, updates uint64, fixed Launch) Shape {
	t := c.Type
	switch {
	case c.Wide():
		s, _ := l.RowShape(v, c)
		return s.Shape
	case v.SeveralKernels():
		return Shape{}
	}
	s := Shape{Threads: cmp.Or(fixed.Threads, 256), Unroll: max(1, fixed.Unroll),
		SharedBytes: v.SharedBytes(bins, t.Bytes())}
	if v.Site() == impl.PerThread {
		own := impl.ThreadPrivateThreads(bins, t.Bytes(), l.WarpLanes, l.SharedBytes)
		s.Threads = cmp.Or(fixed.Threads, max(l.WarpLanes, own))
		s.SharedBytes = bins * uint64(s.Threads*t.Bytes())
	}
	s.SharedBytes += v.WarpBytes() * uint64(l.warps(s.Threads))
	if v.Site() == impl.PerBlock && fixed.Threads == 0 &&
		max(1, l.fit(s.SharedBytes))*s.Threads < l.MaxWarps*l.WarpLanes {
		s.Threads = min(1024, l.MaxThreadsPerBlock)
	}
	s.BlocksPerSM = l.blocksPerSM(s.Threads, s.SharedBytes)
	resident := uint64(s.BlocksPerSM) * uint64(l.SMs)
	needed := (updates + uint64(s.Threads) - 1) / uint64(s.Threads)
	ranges := uint64(v.G())
	rule := max(1, min(resident, needed))
	s.Blocks = cmp.Or(fixed.Blocks, max(ranges, rule-rule%ranges))
	return s
}

func (l Limits) warps(threads int) int { return (threads + l.WarpLanes - 1) / l.WarpLanes }

// fit returns how many blocks the shared memory of an SM holds.
func (l Limits) fit(shared uint64) int { return int(l.SharedBytesPerSM / max(1, shared)) }

// blocksPerSM returns how many such blocks are resident on an SM, 1 at least.
func (l Limits) blocksPerSM(threads int, shared uint64) int {
	return max(1, min(l.fit(shared), l.MaxWarps/l.warps(threads), l.MaxBlocks))
}

// SampleCounters is the number of counters with which a block counts the samples of its slots: 8
// for each, so that few targets share one, and 4,096 at least.
func SampleCounters(slots int) int { return max(4096, 8*slots) }

// SampleShape returns the launch that finds the targets of a table in a sample of the stream:
// blocks of 1,024 threads, each with at most as many slots, for which it has counters and an
// offer of 8 bytes each.
func (l Limits) SampleShape(v impl.Spec) Shape {
	const threads = 1024
	own := max(1, min(v.Slots, threads))
	bytes := uint64(4*SampleCounters(own) + 8*own)
	return Shape{Threads: threads, Blocks: uint64(v.Slots / own), SharedBytes: bytes,
		BlocksPerSM: l.blocksPerSM(threads, bytes)}
}

// PartShapes are the launches of `partition` that work on the stream. Two of one block each come
// between them: after Count one that finds where each range starts, after Split one that cuts the
// ranges into parts.
type PartShapes struct {
	Count Shape // counts the updates of each range
	Split Shape // writes a tile of updates at a time to their ranges
	Items int   // updates of a thread in a tile; 0: no tile fits
	Add   Shape // adds each part in shared memory
	// Whole and Part are multiples of impl.BucketStep: the most updates of a range that is one
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
func (l Limits) PartShapes(v impl.Spec, t Type, bins, updates uint64) (s PartShapes) {
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
	step := impl.BucketStep * shares
	return max(1, (updates+step-1)/step) * impl.BucketStep
}

// splitBytes is the shared memory of a block that splits tiles: the tile, the counters, and a word for
// each lane of a warp and one more, in which the block's warps add up their counts.
func (l Limits) splitBytes(items int, t Type, ranges uint64) uint64 {
	tile := uint64(splitThreads*items) * uint64(4+t.Bytes())
	return tile + 4*(2*ranges+1+uint64(l.WarpLanes+1))
}

// MostParted returns the most targets for which a tile and the counters of the ranges fit into a
// block, 0 where a tile alone does not.
func (l Limits) MostParted(v impl.Spec, t Type) uint64 {
	least := l.splitBytes(4, t, 0)
	if l.SharedBytes < least {
		return 0
	}
	return (l.SharedBytes - least) / 8 * uint64(v.Width)
}

// resident returns a launch of such blocks over so many updates, of which a thread takes so many at
// a time: as many blocks as are resident at once, or as there are updates for.
func (l Limits) resident(threads int, shared, updates uint64, items int) Shape {
	s := Shape{Threads: threads, SharedBytes: shared, Unroll: 1, BlocksPerSM: l.blocksPerSM(threads, shared)}
	tile := uint64(threads * items)
	s.Blocks = max(1, min(uint64(s.BlocksPerSM*l.SMs), (updates+tile-1)/tile))
	return s
}
