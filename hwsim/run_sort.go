package hwsim

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// sortPasses returns the number of digits that tell bins keys apart.
func sortPasses(bins uint64) uint64 {
	return max(1, (uint64(bits.Len64(bins-1))+digitBits-1)/digitBits)
}

// sortItems returns the elements per thread of a sorting pass.
func (s *session) sortItems() int {
	limit := uint64(s.device.Shared.BytesPerBlock.Value)
	return variant.SortItems(s.call.Type.Bytes(), s.machine.lanes, limit)
}

func (s *session) tiles() uint64 {
	size := uint64(sortThreads * s.sortItems())
	return (s.updates + size - 1) / size
}

// sortBuffers makes the arrays of a sort. The stream itself is only read: the
// first pass goes from it to the first side, later ones between the sides.
func (s *session) sortBuffers() {
	values := uint64(0)
	if s.call.Operand == device.Loaded {
		values = s.updates
	}
	s.buffer("keys in", counters(s.updates))
	s.buffer("keys out", counters(s.updates))
	s.buffer("values in", s.typed(values))
	s.buffer("values out", s.typed(values))
	s.buffer("digits", counters(sortPasses(s.bins)*digits))
	s.buffer("chain", counters(s.tiles()*digits))
}

// sort orders the stream by key and reduces the segments.
func (s *session) sort() error {
	passes := sortPasses(s.bins)
	bufs := s.machine.buffers
	spareKeys, spareValues := bufs[bufKeysIn], bufs[bufValuesIn]
	bufs[bufKeysIn], bufs[bufValuesIn] = bufs[bufIndex], bufs[bufValue]
	if err := s.clear(bufDigits); err != nil {
		return err
	}
	count := s.wide(countKernel(s.machine.lanes), s.updates, s.updates, passes)
	count.sharedBytes = passes * digits * 4
	count.blocks = min(count.blocks, s.tiles())
	if err := s.launch(count); err != nil {
		return err
	}
	start := kernel{prog: startKernel(s.machine.lanes), blocks: passes, threads: sortThreads, sharedBytes: 64, blocksPerSM: 1}
	if err := s.launch(start); err != nil {
		return err
	}
	pass := passKernel(s.call, s.machine.lanes, s.sortItems())
	for p := range passes {
		if err := s.clear(bufChain); err != nil {
			return err
		}
		if err := s.launch(s.sortPass(pass, p)); err != nil {
			return err
		}
		in, values := bufs[bufKeysIn], bufs[bufValuesIn]
		if p == 0 {
			in, values = spareKeys, spareValues
		}
		bufs[bufKeysIn], bufs[bufKeysOut] = bufs[bufKeysOut], in
		bufs[bufValuesIn], bufs[bufValuesOut] = bufs[bufValuesOut], values
	}
	return s.segments(bufKeysIn, bufValuesIn, s.updates)
}

func (s *session) sortPass(pass *program, p uint64) kernel {
	shared := variant.SortSharedBytes(s.sortItems(), s.call.Type.Bytes(), s.machine.lanes)
	perSM := s.wide(nil, s.updates).blocksPerSM
	fit := int(uint64(s.device.Shared.BytesPerSM.Value) / shared)
	return kernel{
		prog: pass, blocks: s.tiles(), threads: sortThreads, sharedBytes: shared,
		blocksPerSM: max(1, min(perSM, fit)), args: []uint64{s.updates, p * digitBits, p},
	}
}

// reduceStream reduces a stream that is grouped already.
func (s *session) reduceStream() error { return s.segments(bufIndex, bufValue, s.updates) }

// segments reduces a grouped array level by level: each leaves two partial
// sums per warp to the next, until one warp can finish.
func (s *session) segments(keys, values int, n uint64) error {
	lanes := uint64(s.machine.lanes)
	ones := s.call.Operand == device.One
	for {
		level := segmentBuffers{keys: keys, values: values, ones: ones}
		if n <= 4*lanes {
			return s.segmentLevel(level, n, n, 1)
		}
		resident := s.wide(nil, n).blocks * 256 / lanes
		perWarp := max(2*lanes, ((n+resident-1)/resident+lanes-1)/lanes*lanes)
		warps := (n + perWarp - 1) / perWarp
		level.carryKeys = s.buffer("carry keys", counters(2*warps))
		level.carryValues = s.buffer("carry values", s.typed(2*warps))
		if err := s.segmentLevel(level, n, perWarp, warps); err != nil {
			return err
		}
		keys, values, n, ones = level.carryKeys, level.carryValues, 2*warps, false
	}
}

func (s *session) segmentLevel(level segmentBuffers, n, perWarp, warps uint64) error {
	threads := uint64(256)
	if warps == 1 {
		threads = uint64(s.machine.lanes)
	}
	perBlock := threads / uint64(s.machine.lanes)
	perWarp = max(perWarp, uint64(s.machine.lanes))
	return s.launch(kernel{
		prog:   segmentKernel(level, s.call, s.machine.lanes),
		blocks: (warps + perBlock - 1) / perBlock, threads: int(threads),
		blocksPerSM: s.wide(nil, n).blocksPerSM, args: []uint64{n, perWarp},
	})
}
