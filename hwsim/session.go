package hwsim

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/relayout"
	"github.com/atomtune/atomtune/variant"
)

// session is one call on one machine.
type session struct {
	cfg    Config
	m      *machine
	n      uint64
	grid   uint64 // length of the stream for which the grid is made: n, or that of which a sample is simulated
	bins   uint64
	times  []KernelTime
	hostUS float64
	top    uint64 // first free byte address
}

// order returns the places of the updates in the stream as ss re-lays it, or
// nil where the stream stays as it is.
func (cfg Config) order(indices []uint32, bins uint64) []uint32 {
	if !cfg.Variant.Scatter {
		return nil
	}
	if cfg.Variant.Reduction == variant.SR { // runs stay together
		return relayout.Warps(indices, bins, int(cfg.Device.Core.WarpLanes.Value))
	}
	return relayout.Order(indices, bins)
}

// hostTime returns the host's share in re-laying n updates, in microseconds.
func (cfg Config) hostTime(n int) float64 {
	if !cfg.Variant.Scatter || cfg.Relaid {
		return 0
	}
	return float64(n) * cfg.Device.Host.Relayout.Value / 1e3
}

// newSession lays out memory for a stream in the order in which the device
// reads it. The values are still to be set.
func newSession(cfg Config, indices []uint32, bins uint64) *session {
	s := &session{cfg: cfg, m: newMachine(cfg.Device, cfg.Call), n: uint64(len(indices)), grid: uint64(len(indices)), bins: bins}
	s.top = s.m.firstByte(bins * uint64(cfg.Call.Type.Bytes()))
	s.buffer("target", s.typed(bins))
	s.buffer("index", &buffer{words: indices})
	if cfg.Call.Operand == device.Loaded {
		s.buffer("value", s.typed(s.n))
	} else {
		s.buffer("value", &buffer{words: []uint32{}})
	}
	returned := uint64(0)
	if cfg.Call.Returns {
		returned = s.n
	}
	s.buffer("returned", s.typed(returned))
	if cfg.Call.Op == device.Mad && cfg.Call.Operand == device.Loaded {
		s.buffer("factor", s.typed(s.n))
	}
	return s
}

// buffer places an array in the address space, a multiple of 4 KiB behind the first.
func (s *session) buffer(name string, b *buffer) int {
	b.name, b.base = name, s.top
	s.top += (b.bytes() + 4095) &^ 4095
	s.m.buffers = append(s.m.buffers, b)
	return len(s.m.buffers) - 1
}

// firstByte is where the targets begin.
func (m *machine) firstByte(bytes uint64) uint64 {
	if m.hash == nil || bytes > m.hash.Page-m.hash.SmallBase {
		return 0
	}
	return m.hash.SmallBase
}

// poison is what arrays hold before a kernel writes them.
const poison = 0xA5A5A5A5

// typed makes a poisoned array of the element type.
func (s *session) typed(n uint64) *buffer {
	if s.cfg.Call.Type.Bytes() == 8 {
		b := &buffer{longs: make([]uint64, n)}
		for i := range b.longs {
			b.longs[i] = poison<<32 | poison
		}
		return b
	}
	return counters(n)
}

func counters(n uint64) *buffer {
	b := &buffer{words: make([]uint32, n)}
	for i := range b.words {
		b.words[i] = poison
	}
	return b
}

// setValues draws the values, which order moves with their updates.
func (s *session) setValues(order []uint32) {
	s.setOperands(bufValue, values(s.cfg.Call, s.cfg.Seed, int(s.n)), order)
	s.setOperands(bufFactor, factors(s.cfg.Call, s.cfg.Seed, int(s.n)), order)
}

func (s *session) setOperands(buf int, drawn []uint64, order []uint32) {
	if order != nil && drawn != nil {
		drawn = permute(drawn, order)
	}
	for i, v := range drawn {
		s.m.buffers[buf].set(uint64(i), v)
	}
}

// launch runs a kernel and notes its time.
func (s *session) launch(k kernel) error {
	cycles, err := s.m.launch(k)
	s.times = append(s.times, KernelTime{k.prog.name, uint64(cycles)})
	return err
}

// wide returns a launch over n elements with one thread each, but no more
// blocks than are resident at once.
func (s *session) wide(p *program, n uint64, args ...uint64) kernel {
	shape := s.cfg.Device.Shape(variant.Variant{}, s.cfg.Call.Type, s.bins, n)
	return kernel{prog: p, blocks: shape.Blocks, threads: shape.Threads, blocksPerSM: shape.BlocksPerSM, args: args}
}

func (s *session) clear(buf int) error {
	n := s.m.buffers[buf].bytes() / s.m.buffers[buf].elemBytes()
	value := uint64(0)
	if buf == bufTarget {
		value = cleared(s.cfg.Call)
	}
	return s.launch(s.wide(clearKernel(buf, s.m.lanes, value), n, n))
}

// footprint returns the bytes of all arrays of the call, in a sample those of the
// whole call: the targets are there as a whole, the others as far as the stream.
func (s *session) footprint() (bytes uint64) {
	for _, b := range s.m.buffers {
		bytes += s.m.wholeBytes(b)
	}
	return bytes
}

// wholeBytes returns the bytes of an array, in a sample those of the whole call's.
func (m *machine) wholeBytes(b *buffer) uint64 {
	if m.share <= 1 || b == m.buffers[bufTarget] {
		return b.bytes()
	}
	return uint64(float64(b.bytes()) * m.share)
}

// call runs the implementation's kernels.
func (s *session) call() error {
	plan := s.updates
	switch s.cfg.Variant.Base {
	case variant.Sort:
		plan = s.sort
		s.sortBuffers()
	case variant.SegReduce:
		plan = func() error { return s.segments(bufIndex, bufValue, s.n) }
	case variant.ThreadPrivate:
		plan = s.threadPrivate
	}
	s.m.share = float64(s.grid) / float64(max(1, s.n))
	s.m.stream = s.footprint() > s.m.l2Bytes
	if err := s.clear(bufTarget); err != nil {
		return err
	}
	return plan()
}

func (s *session) updates() error {
	shape := s.cfg.Device.Shape(s.cfg.Variant, s.cfg.Call.Type, s.bins, s.grid)
	return s.launch(kernel{
		prog:   updateKernel(s.cfg.Variant, s.cfg.Call, s.m.lanes),
		blocks: shape.Blocks, threads: shape.Threads, blocksPerSM: shape.BlocksPerSM,
		sharedBytes: (shape.SharedBytes + 7) &^ 7, args: []uint64{s.n, s.bins, s.cfg.Seed},
	})
}

func (s *session) threadPrivate() error {
	shape := s.cfg.Device.Shape(s.cfg.Variant, s.cfg.Call.Type, s.bins, s.grid)
	s.buffer("partial", s.typed(shape.Blocks*s.bins))
	err := s.launch(kernel{
		prog:   threadKernel(s.cfg.Call, s.m.lanes),
		blocks: shape.Blocks, threads: shape.Threads, blocksPerSM: shape.BlocksPerSM,
		sharedBytes: (shape.SharedBytes + 7) &^ 7, args: []uint64{s.n, s.bins, 0},
	})
	if err != nil {
		return err
	}
	lanes := uint64(s.m.lanes)
	threads := min(1024, int(s.cfg.Device.Core.MaxThreadsPerBlock.Value))
	return s.launch(kernel{
		prog:   combineKernel(s.cfg.Call, s.m.lanes),
		blocks: (s.bins + lanes - 1) / lanes, threads: threads, blocksPerSM: 1,
		sharedBytes: uint64(threads) * 8, args: []uint64{s.bins, shape.Blocks},
	})
}

func (s *session) result() Result {
	r := Result{
		Updates: s.n, WarpInstructions: s.m.instrs, Events: s.m.events, Issued: s.m.issued, Completed: s.m.completed,
		Kernels: s.times, HostUS: s.hostUS, Final: s.m.buffers[bufTarget].copyOut(),
	}
	d := s.cfg.Device
	r.US = s.hostUS + s.elapsed()
	r.Cycles = uint64(r.US*d.Core.Clock.Value + 0.5)
	if s.cfg.Call.Returns {
		r.Returned = s.m.buffers[bufReturn].copyOut()
	}
	return r
}

// elapsed puts the launches in line: the host enqueues one after the other
// without waiting, and the device runs them one after the other.
func (s *session) elapsed() float64 {
	launch := s.cfg.Device.Launch
	enqueued, end := launch.First.Value, 0.0
	for _, k := range s.times {
		if s.free(k) {
			continue
		}
		begin := enqueued
		if end > 0 {
			begin = max(begin, end+launch.Gap.Value)
		}
		end = begin + float64(k.Cycles)/s.cfg.Device.Core.Clock.Value
		enqueued += launch.Next.Value
	}
	return end
}

// free reports whether the kernel is a clear that costs no launch.
func (s *session) free(k KernelTime) bool {
	return k.Name == clearTarget && float64(s.m.buffers[bufTarget].bytes()) <= s.cfg.Device.Launch.ClearFree.Value
}

func (b *buffer) copyOut() []uint64 {
	out := make([]uint64, b.bytes()/b.elemBytes())
	for i := range out {
		out[i] = b.get(uint64(i))
	}
	return out
}
