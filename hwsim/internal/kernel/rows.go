package kernel

import (
	"errors"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// RowSession is one call that updates rows, on one machine.
type RowSession struct {
	*Session
	Rows           device.Call
	Implementation impl.Spec
	Shape          device.RowShape

	// Indices are those that are simulated, and Places where their values stand; nil: in their order.
	Indices, Places []uint32
	targets         *machine.Sparse
}

// NewRowSession lays out memory for updates of so many rows, a sample of the whole stream: the arrays are
// as large as its own. Rows before were updated last.
func NewRowSession(d *device.Profile, seed, count uint64, whole, before []uint32, r RowSession) *RowSession {
	s := &r
	adds := s.Rows
	if adds.Keeps = true; adds.Type == device.BF16 { // rounding takes no time
		adds.Type = device.F32
	}
	s.Session = NewSession(d, adds, impl.Spec{}, seed)
	s.Bins, s.Whole = count, whole
	n, width := uint64(len(whole)), s.Rows.Width
	s.targets = machine.NewSparse(s.before())
	values := machine.Formula{Number: n * width, Elem: uint64(s.Rows.ValueType().Bytes()), Of: s.value}
	places := elementsOf(s.Places, n, 4)
	if s.Implementation.Algorithm != impl.Sort {
		places.Number = 0
	}
	s.Top = s.Machine.FirstByte(count * width * uint64(s.Rows.Type.Bytes()))
	s.Buffer(&machine.Buffer{Other: s.targets}, &machine.Buffer{Other: elementsOf(s.Indices, n, s.Rows.Index())},
		&machine.Buffer{Other: values, Once: true}, &machine.Buffer{Other: places},
		machine.Counters(uint64(max(1, s.Shape.Slots))))
	s.Machine.Rows = true
	s.Begin()
	for _, row := range before {
		s.Machine.Touch(s.Machine.Buffers[BufTarget], uint64(row)*width, width)
	}
	return s
}

func elementsOf(list []uint32, n uint64, bytes int) machine.Formula {
	return machine.Formula{Number: n, Elem: uint64(bytes), Of: func(i uint64) uint64 { return uint64(list[i]) }}
}

// value is element i of the values, of which sums of millions are exact.
func (s *RowSession) value(i uint64) uint64 { return arith.Drawn(s.Call, splitmix.Mix(s.Seed+i)) }

// before are the targets before the first update.
func (s *RowSession) before() machine.Formula {
	f := machine.Formula{Number: s.Bins * s.Rows.Width, Elem: uint64(s.Rows.Type.Bytes())}
	f.Of = func(uint64) uint64 { return arith.Cleared(s.Call) }
	if s.Rows.Keeps {
		f.Of = func(i uint64) uint64 { return s.value(^i) }
	}
	return f
}

// Run clears the targets, unless they are kept, and runs the kernel that updates, after that which
// finds the hot rows. Every block does so for itself before it begins with its updates: it is a launch of
// its own here, between which and the updates lies no other's time. All blocks read the same sectors then,
// which but for the first come from L2.
func (s *RowSession) Run() error {
	if !s.Rows.Keeps {
		s.clear()
	}
	blocks, slots := uint64(s.Shape.Abreast()), uint64(s.Shape.Slots)
	shape := s.Shape.Shape
	if s.Implementation.Algorithm == impl.Hot && s.Err == nil {
		shape.Blocks = blocks
		p := newSampler(s.Machine.Lanes, slots, slots)
		p.first = imm(0)
		n := uint64(len(s.Whole))
		stream := &machine.Buffer{Other: elementsOf(s.Whole, n, s.Rows.Index())}
		s.sample(p, shape, stream, false, sampleArgs(device.HotRowSamples, n))
	}
	shape.Blocks = s.Shape.Blocks
	p := elementsKernel
	if !s.Implementation.IsNaive() {
		p = updateRowsKernel
	}
	return s.Launch(p(s, blocks), shape, uint64(len(s.Indices)))
}

// cleared are the bytes that a lane clears at once.
const cleared = 16

func (s *RowSession) clear() {
	targets := s.Machine.Buffers[BufTarget]
	n := (targets.Bytes() + cleared - 1) / cleared
	s.Machine.Buffers[BufTarget] = &machine.Buffer{Base: targets.Base, Other: machine.Formula{Number: n,
		Elem: cleared}}
	s.Clear(BufTarget)
	s.Machine.Buffers[BufTarget] = targets
}

// Correct compares the targets with those of the updates made serially.
func (s *RowSession) Correct() bool {
	width, want := s.Rows.Width, machine.NewSparse(s.before())
	for i, row := range s.Indices {
		from, to := uint64(i)*width, uint64(row)*width
		if s.Places != nil {
			from = uint64(s.Places[i]) * width
		}
		for j := range width {
			want.Set(to+j, arith.Apply(s.Call.Op, s.Call.Type, want.Get(to+j), s.value(from+j), 0))
		}
	}
	return holds(s.targets, want) && holds(want, s.targets)
}

// holds reports whether a holds what was set of b.
func holds(a, b *machine.Sparse) bool {
	for first, page := range b.Pages() {
		for i, v := range page {
			if a.Get(first+uint64(i)) != v {
				return false
			}
		}
	}
	return true
}

// SortRows numbers the updates of a stream and sorts them by row, in which rows behind the last one
// may occur, and returns the launches and the places of the updates in the sorted stream.
func SortRows(d *device.Profile, c device.Call, indices []uint32, count uint64) ([]LaunchTime,
	[]uint32, error) {
	n := uint64(len(indices))
	call := device.Call{Type: device.U32, Op: device.Add, Operand: device.Loaded, Keeps: true}
	s := NewSession(d, call, impl.Spec{}, 0)
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
		{Base: s.Machine.Buffers[BufIndex].Base, Other: elementsOf(indices, n, c.Index())},
		s.Machine.Buffers[BufValue], machine.Counters(n), machine.Counters(n)}
	number.Launch(numberKernel(number.Machine.Lanes), number.Wide(n), n)
	s.sortPairs(true)
	if err := errors.Join(number.Err, s.Err); err != nil {
		return nil, nil, err
	}
	return append(number.Times, s.Times...), s.Machine.Buffers[bufValuesIn].Words, nil
}
