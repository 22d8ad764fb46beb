package hwsim

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// launchTime is the time of one launch.
type launchTime struct {
	Name   string `json:"name"`
	Cycles uint64 `json:"cycles"`
}

// session is one call on one machine: the arrays in memory, and the launches so
// far.
type session struct {
	device  *device.Profile
	call    device.Call
	variant variant.Variant
	seed    uint64
	bins    uint64
	updates uint64
	grid    uint64 // updates for which the grid is made: more than there are in a sample
	machine *machine
	times   []launchTime
	hostUS  float64
	top     uint64 // first free byte address
}

// newSession returns a machine with empty memory.
func newSession(d *device.Profile, call device.Call, v variant.Variant, seed uint64) *session {
	return &session{device: d, call: call, variant: v, seed: seed, machine: newMachine(d, call)}
}

// place lays out memory for a stream in the order in which the device reads it.
// The values are still to be set.
func (s *session) place(indices []uint32, bins uint64) {
	s.updates, s.grid, s.bins = uint64(len(indices)), uint64(len(indices)), bins
	s.top = s.machine.firstByte(bins * uint64(s.call.Type.Bytes()))
	loaded, returned := uint64(0), uint64(0)
	if s.call.Operand == device.Loaded {
		loaded = s.updates
	}
	if s.call.Returns {
		returned = s.updates
	}
	s.buffer("target", s.typed(bins))
	s.buffer("index", &buffer{words: indices})
	s.buffer("value", s.typed(loaded))
	s.buffer("returned", s.typed(returned))
	if s.call.Op == device.Mad && loaded > 0 {
		s.buffer("factor", s.typed(loaded))
	}
}

// buffer places an array in the address space, a multiple of 4 KiB behind the first.
func (s *session) buffer(name string, b *buffer) int {
	b.name, b.base = name, s.top
	s.top += (b.bytes() + 4095) &^ 4095
	s.machine.buffers = append(s.machine.buffers, b)
	return len(s.machine.buffers) - 1
}

// typed makes a poisoned array of the element type.
func (s *session) typed(n uint64) *buffer {
	if s.call.Type.Bytes() == 4 {
		return counters(n)
	}
	b := &buffer{longs: make([]uint64, n)}
	for i := range b.longs {
		b.longs[i] = poison<<32 | poison
	}
	return b
}

// setValues draws the values, which order moves with their updates.
func (s *session) setValues(order []uint32) {
	s.setOperands(bufValue, values(s.call, s.seed, int(s.updates)), order)
	s.setOperands(bufFactor, factors(s.call, s.seed, int(s.updates)), order)
}

func (s *session) setOperands(buf int, drawn []uint64, order []uint32) {
	if order != nil {
		drawn = permute(drawn, order)
	}
	for i, v := range drawn {
		s.machine.buffers[buf].set(uint64(i), v)
	}
}

// launch runs a kernel and notes its time.
func (s *session) launch(k kernel) error {
	cycles, err := s.machine.launch(k)
	s.times = append(s.times, launchTime{k.prog.name, uint64(cycles)})
	return err
}

// shaped returns a launch of the implementation over the stream.
func (s *session) shaped(v variant.Variant, n uint64, p *program, args ...uint64) kernel {
	shape := s.device.Shape(v, s.call.Type, s.bins, n)
	return kernel{
		prog: p, blocks: shape.Blocks, threads: shape.Threads, blocksPerSM: shape.BlocksPerSM,
		sharedBytes: (shape.SharedBytes + 7) &^ 7, args: args,
	}
}

// wide returns a launch over n elements with one thread each, but no more
// blocks than are resident at once.
func (s *session) wide(p *program, n uint64, args ...uint64) kernel {
	return s.shaped(variant.Variant{}, n, p, args...)
}

// clear launches the kernel that clears an array.
func (s *session) clear(buf int) error {
	b := s.machine.buffers[buf]
	n, value := b.bytes()/b.elemBytes(), uint64(0)
	if buf == bufTarget {
		value = cleared(s.call)
	}
	return s.launch(s.wide(clearKernel(buf, s.machine.lanes, value), n, n))
}

// begin tells the machine the call's footprint and clears the targets. In a
// sample the footprint is that of the whole call: the targets are there as a
// whole, the other arrays as far as the stream.
func (s *session) begin() error {
	m := s.machine
	m.share = float64(s.grid) / float64(max(1, s.updates))
	footprint := uint64(0)
	for _, b := range m.buffers {
		footprint += m.wholeBytes(b)
	}
	m.stream = footprint > m.l2Bytes
	return s.clear(bufTarget)
}

// run runs the implementation's kernels.
func (s *session) run() error {
	how, _ := implementationOf(s.variant)
	if how.place != nil {
		how.place(s)
	}
	if err := s.begin(); err != nil {
		return err
	}
	return how.launch(s)
}

// elapsed puts the launches in line: the host enqueues one after the other
// without waiting, and the device runs them one after the other.
func (s *session) elapsed() float64 {
	launch := s.device.Launch
	enqueued, end := launch.First.Value, 0.0
	for _, k := range s.times {
		if s.free(k) {
			continue
		}
		begin := enqueued
		if end > 0 {
			begin = max(begin, end+launch.Gap.Value)
		}
		end = begin + float64(k.Cycles)/s.device.Core.Clock.Value
		enqueued += launch.Next.Value
	}
	return end
}

// free reports whether the kernel is a clear that costs no launch.
func (s *session) free(k launchTime) bool {
	bytes := s.machine.buffers[bufTarget].bytes()
	return k.Name == clearTarget && float64(bytes) <= s.device.Launch.ClearFree.Value
}

// output returns the bit patterns in a buffer.
func (s *session) output(buf int) []uint64 { return s.machine.buffers[buf].copyOut() }
