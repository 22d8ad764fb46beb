package kernel

import (
	"errors"
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/internal/splitmix"
	"github.com/atomtune/atomtune/rows"
	"github.com/atomtune/atomtune/variant"
)

// RowSession is one call that updates rows, on one machine.
type RowSession struct {
	Device  *device.Profile
	Call    rows.Call
	Form    rows.Form
	Shape   rows.Shape
	Seed    uint64
	Rows    uint64
	Machine *machine.Machine
	Times   []LaunchTime

	// Indices are those that are simulated, and Places where their values stand; nil: in their order.
	Indices, Places []uint32
	// Whole is the stream of which they are a sample, and Before are rows that were updated last.
	Whole, Before []uint32
	targets       *machine.Sparse
}

// NewRowSession lays out memory for updates of so many rows. Of a sample the arrays are as large as
// those of the whole stream.
func NewRowSession(r RowSession) *RowSession {
	s := &r
	s.Machine = machine.NewMachine(s.Device, rowCall)
	n, width := uint64(len(s.Whole)), s.Call.Width
	s.targets = machine.NewSparse(s.Rows*width, uint64(s.Call.Kind.TargetBytes()))
	index := machine.Formula{Number: n, Elem: uint64(s.Call.Index()),
		Of: func(i uint64) uint64 { return uint64(s.Indices[i]) }}
	values := machine.Formula{Number: n * width, Elem: uint64(s.Call.Kind.ValueBytes()),
		Of: func(i uint64) uint64 { return uint64(math.Float32bits(float32(s.eighths(i)) / 8)) }}
	places := machine.Formula{Number: n, Elem: 4,
		Of: func(i uint64) uint64 { return uint64(s.Places[i]) }}
	if s.Form != rows.Sort {
		places.Number = 0
	}
	top := s.Machine.FirstByte(s.Rows * width * uint64(s.Call.Kind.TargetBytes()))
	footprint := uint64(0)
	for _, b := range []*machine.Buffer{{Other: s.targets}, {Other: index}, {Other: values, Once: true},
		{Other: places}, machine.Counters(uint64(max(1, s.Shape.Slots)))} {
		b.Base = top
		footprint += b.Bytes()
		top += (b.Bytes() + 4095) &^ 4095
		s.Machine.Buffers = append(s.Machine.Buffers, b)
	}
	s.Machine.Stream, s.Machine.Rows = footprint > s.Machine.L2Bytes, true
	for _, row := range s.Before {
		s.Machine.Touch(s.Machine.Buffers[BufTarget], uint64(row)*width, width)
	}
	return s
}

// eighths is element i of the values, in units of 1/8, of which sums of millions are exact.
func (s *RowSession) eighths(i uint64) int64 { return int64(splitmix.Mix(s.Seed+i)%15) - 7 }

// Run clears the targets, unless they are kept, and runs the kernel that updates, after that which
// finds the hot rows.
func (s *RowSession) Run() error {
	if !s.Call.Keeps {
		if err := s.clear(); err != nil {
			return err
		}
	}
	if s.Form == rows.Hot {
		if err := s.sample(); err != nil {
			return err
		}
	}
	blocks := uint64(s.Shape.Blocks(s.Device))
	k := machine.Kernel{Threads: s.Shape.Threads, SharedBytes: uint64(s.Shape.Shared+7) &^ 7,
		Blocks: blocks * uint64(s.Shape.Passes), BlocksPerSM: int(blocks) / s.Machine.SMs,
		Args: []uint64{uint64(len(s.Indices))}}
	if s.Form == rows.Naive {
		k.Prog = elementsKernel(s.Call, s.Shape, s.Machine.Lanes, blocks*uint64(s.Shape.Threads))
	} else {
		k.Prog = newRowUpdater(s.Device, s.Call, s.Form, s.Shape, blocks).kernel()
	}
	return s.launch(s.Machine, k)
}

func (s *RowSession) launch(m *machine.Machine, k machine.Kernel) error {
	cycles, err := m.Launch(k)
	s.Times = append(s.Times, LaunchTime{k.Prog.Name, uint64(cycles)})
	return err
}

// cleared are the bytes that a lane clears at once.
const cleared = 16

// clear clears the targets.
func (s *RowSession) clear() error {
	targets := s.Machine.Buffers[BufTarget]
	n := (targets.Bytes() + cleared - 1) / cleared
	s.Machine.Buffers[BufTarget] = &machine.Buffer{Base: targets.Base, Other: machine.Formula{Number: n,
		Elem: cleared}}
	shape := s.Device.Limits().Shape(variant.Variant{}, device.F32, s.Rows, n, device.Launch{})
	err := s.launch(s.Machine, shaped(shape, clearKernel(clearTarget, BufTarget, s.Machine.Lanes, 0), n))
	s.Machine.Buffers[BufTarget] = targets
	return err
}

// sample finds the hot rows. Every block does so for itself before it begins with its updates: it is
// a launch of its own here, on a machine whose update is what a thread offers, and between it and the
// updates lies no other's time.
func (s *RowSession) sample() error {
	m := machine.NewMachine(s.Device, device.Offer())
	m.Buffers = slices.Clone(s.Machine.Buffers)
	m.Buffers[BufIndex] = &machine.Buffer{Base: m.Buffers[BufIndex].Base, Other: machine.Formula{
		Number: uint64(len(s.Whole)), Elem: uint64(s.Call.Index()),
		Of: func(i uint64) uint64 { return uint64(s.Whole[i]) }}}
	m.Stream = false // all blocks read the same sectors, which but for the first come from L2
	slots := uint64(s.Shape.Slots)
	p := newSampler(m.Lanes, slots, slots)
	p.first = imm(0)
	blocks := s.Shape.Blocks(s.Device)
	err := s.launch(m, machine.Kernel{Prog: p.kernel(), Blocks: uint64(blocks),
		Threads: s.Shape.Threads, SharedBytes: uint64(s.Shape.Shared), BlocksPerSM: blocks / m.SMs,
		Args: sampleArgs(rows.HotSamples, uint64(len(s.Whole)))})
	s.add(m)
	return err
}

func (s *RowSession) add(m *machine.Machine) {
	s.Machine.Instrs, s.Machine.Events = s.Machine.Instrs+m.Instrs, s.Machine.Events+m.Events
	s.Machine.Issued, s.Machine.Completed = s.Machine.Issued+m.Issued, s.Machine.Completed+m.Completed
}

// Correct compares the sums with those of the updates made serially.
func (s *RowSession) Correct() bool {
	want := machine.NewSparse(s.Rows*s.Call.Width, 4)
	for i, row := range s.Indices {
		from, to := uint64(i)*s.Call.Width, uint64(row)*s.Call.Width
		if s.Places != nil {
			from = uint64(s.Places[i]) * s.Call.Width
		}
		for j := range s.Call.Width {
			want.Set(to+j, uint64(uint32(int64(int32(want.Get(to+j)))+s.eighths(from+j))))
		}
	}
	for first, page := range want.Pages() {
		for i, sum := range page {
			got := math.Float32frombits(uint32(s.targets.Get(first + uint64(i))))
			if got != float32(int32(sum))/8 {
				return false
			}
		}
	}
	return true
}

// SortRows numbers the updates of a stream and sorts them by row, in which rows behind the last one
// may occur, and returns the launches and the places of the updates in the sorted stream.
func SortRows(d *device.Profile, c rows.Call, indices []uint32, count uint64) ([]LaunchTime,
	[]uint32, error) {
	n := uint64(len(indices))
	call := device.Call{Type: device.U32, Op: device.Add, Operand: device.Loaded, Keeps: true}
	s := NewSession(d, call, variant.Variant{}, 0)
	s.Place(indices, count+1)
	for i := range n {
		s.Machine.Buffers[BufValue].Set(i, i)
	}
	s.sortBuffers()
	s.Begin()
	number := *s
	number.Machine, number.Times = machine.NewMachine(d, call), nil
	number.Machine.Stream = s.Machine.Stream
	number.Machine.Buffers = []*machine.Buffer{s.Machine.Buffers[BufTarget],
		{Base: s.Machine.Buffers[BufIndex].Base, Other: machine.Formula{Number: n,
			Elem: uint64(c.Index()), Of: func(i uint64) uint64 { return uint64(indices[i]) }}},
		s.Machine.Buffers[BufValue], machine.Counters(n), machine.Counters(n)}
	number.Launch(number.Wide(numberKernel(number.Machine.Lanes), n, n))
	s.sortPairs(true)
	if err := errors.Join(number.Err, s.Err); err != nil {
		return nil, nil, err
	}
	return append(number.Times, s.Times...), s.Machine.Buffers[bufValuesIn].Words, nil
}
