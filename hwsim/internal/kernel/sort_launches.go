package kernel

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// sortPasses returns the number of digits that tell bins keys apart.
func sortPasses(bins uint64) uint64 {
	return max(1, (uint64(bits.Len64(bins-1))+digitBits-1)/digitBits)
}

// sortItems returns the elements per thread of a sorting pass.
func (s *Session) sortItems() int {
	limit := uint64(s.Device.Shared.BytesPerBlock.Value)
	return variant.SortItems(s.Call.Type.Bytes(), s.Machine.Lanes, limit)
}

func (s *Session) tiles() uint64 {
	size := uint64(SortThreads * s.sortItems())
	return (s.Updates + size - 1) / size
}

// sortBuffers makes the arrays of a sort. The stream itself is only read: the
// first pass goes from it to the first side, later ones between the sides.
func (s *Session) sortBuffers() {
	values := uint64(0)
	if s.Call.Operand == device.Loaded {
		values = s.Updates
	}
	s.Buffer("keys in", machine.Counters(s.Updates))
	s.Buffer("keys out", machine.Counters(s.Updates))
	s.Buffer("values in", s.Typed(values))
	s.Buffer("values out", s.Typed(values))
	s.Buffer("digits", machine.Counters(sortPasses(s.Bins)*digits))
	s.Buffer("chain", machine.Counters(s.tiles()*digits))
}

// sort orders the stream by key and reduces the segments.
func (s *Session) sort() error {
	passes := sortPasses(s.Bins)
	bufs := s.Machine.Buffers
	spareKeys, spareValues := bufs[bufKeysIn], bufs[bufValuesIn]
	bufs[bufKeysIn], bufs[bufValuesIn] = bufs[BufIndex], bufs[BufValue]
	if err := s.Clear(bufDigits); err != nil {
		return err
	}
	count := s.Wide(countKernel(s.Machine.Lanes), s.Updates, s.Updates, passes)
	count.SharedBytes = passes * digits * 4
	count.Blocks = min(count.Blocks, s.tiles())
	if err := s.Launch(count); err != nil {
		return err
	}
	start := machine.Kernel{Prog: startKernel(s.Machine.Lanes), Blocks: passes, Threads: SortThreads,
		SharedBytes: 64, BlocksPerSM: 1}
	if err := s.Launch(start); err != nil {
		return err
	}
	pass := passKernel(s.Call, s.Machine.Lanes, s.sortItems())
	for p := range passes {
		if err := s.Clear(bufChain); err != nil {
			return err
		}
		if err := s.Launch(s.sortPass(pass, p)); err != nil {
			return err
		}
		in, values := bufs[bufKeysIn], bufs[bufValuesIn]
		if p == 0 {
			in, values = spareKeys, spareValues
		}
		bufs[bufKeysIn], bufs[bufKeysOut] = bufs[bufKeysOut], in
		bufs[bufValuesIn], bufs[bufValuesOut] = bufs[bufValuesOut], values
	}
	return s.segments(bufKeysIn, bufValuesIn, s.Updates)
}

func (s *Session) sortPass(pass *machine.Program, p uint64) machine.Kernel {
	shared := variant.SortSharedBytes(s.sortItems(), s.Call.Type.Bytes(), s.Machine.Lanes)
	perSM := s.Wide(nil, s.Updates).BlocksPerSM
	fit := int(uint64(s.Device.Shared.BytesPerSM.Value) / shared)
	return machine.Kernel{
		Prog: pass, Blocks: s.tiles(), Threads: SortThreads, SharedBytes: shared,
		BlocksPerSM: max(1, min(perSM, fit)), Args: []uint64{s.Updates, p * digitBits, p},
	}
}

// reduceStream reduces a stream that is grouped already.
func (s *Session) reduceStream() error { return s.segments(BufIndex, BufValue, s.Updates) }

// segments reduces a grouped array level by level: each leaves two partial
// sums per warp to the next, until one warp can finish.
func (s *Session) segments(keys, values int, n uint64) error {
	lanes := uint64(s.Machine.Lanes)
	ones := s.Call.Operand == device.One
	for {
		level := segmentBuffers{keys: keys, values: values, ones: ones}
		if n <= 4*lanes {
			return s.segmentLevel(level, n, n, 1)
		}
		resident := s.Wide(nil, n).Blocks * 256 / lanes
		perWarp := max(2*lanes, ((n+resident-1)/resident+lanes-1)/lanes*lanes)
		warps := (n + perWarp - 1) / perWarp
		level.carryKeys = s.Buffer("carry keys", machine.Counters(2*warps))
		level.carryValues = s.Buffer("carry values", s.Typed(2*warps))
		if err := s.segmentLevel(level, n, perWarp, warps); err != nil {
			return err
		}
		keys, values, n, ones = level.carryKeys, level.carryValues, 2*warps, false
	}
}

func (s *Session) segmentLevel(level segmentBuffers, n, perWarp, warps uint64) error {
	threads := uint64(256)
	if warps == 1 {
		threads = uint64(s.Machine.Lanes)
	}
	perBlock := threads / uint64(s.Machine.Lanes)
	perWarp = max(perWarp, uint64(s.Machine.Lanes))
	return s.Launch(machine.Kernel{
		Prog:   segmentKernel(level, s.Call, s.Machine.Lanes),
		Blocks: (warps + perBlock - 1) / perBlock, Threads: int(threads),
		BlocksPerSM: s.Wide(nil, n).BlocksPerSM, Args: []uint64{n, perWarp},
	})
}
