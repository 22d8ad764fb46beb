// Package kernel holds the programs of the implementations, and how a call launches them: the table
// of implementations, the arrays of a call in memory and its launches in line.
//
// The table is algorithms.go and reduce.go, and the loop over a stream is in update.go. Forms of several kernels
// or passes have files of their own: sort.go, segreduce.go, partition.go with split.go, hot.go. A
// partition is always simulated as a whole.
//
// rows.go, rowupdate.go and rowhot.go update rows: lanes load and add pieces of several elements. Values come
// from a formula, and only the targets that a call touches are stored, since neither would fit in memory.
// Rounding to bf16 takes no time, nor does the order of integers in which the header has extremes of floats, and
// a shuffle of 8 bytes takes that of 4.
// A sort has all loads of a tile under way at once there, as in CUB, but not in calls of single targets.
package kernel

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/impl/relayout"
)

type LaunchTime struct {
	Name   string `json:"name"`
	Cycles uint64 `json:"cycles"`
}

// Session is one call on one machine: the arrays in memory, and the launches so far.
type Session struct {
	Device         *device.Profile
	Call           device.Call
	Implementation impl.Spec
	Fixed          device.Launch // what the caller fixes of the main kernel's launch
	Seed           uint64
	Bins           uint64
	Updates        uint64
	Grid           uint64   // updates for which the grid is made: more than there are in a sample
	Whole          []uint32 // the stream of which the updates are a sample; nil: they are all
	Machine        *machine.Machine
	Times          []LaunchTime
	HostUS         float64
	Top            uint64 // first free byte address
	Err            error  // of the first launch that failed, after which none is made
}

func NewSession(d *device.Profile, call device.Call, v impl.Spec, seed uint64) *Session {
	return &Session{Device: d, Call: call, Implementation: v, Seed: seed,
		Machine: machine.NewMachine(d, call)}
}

// Place lays out memory for a stream in the order in which the device reads it, without values.
func (s *Session) Place(indices []uint32, bins uint64) {
	s.Updates, s.Grid, s.Bins = uint64(len(indices)), uint64(len(indices)), bins
	s.Top = s.Machine.FirstByte(bins * uint64(s.Call.Type.Bytes()))
	loaded, returned := s.loaded(), uint64(0)
	if s.Call.Returns {
		returned = s.Updates
	}
	s.Buffer(s.Typed(bins), s.keys(indices), s.Typed(loaded), s.Typed(returned))
	if s.Call.Op == device.Mad && loaded > 0 {
		s.Buffer(s.Typed(loaded))
	}
}

// keys are indices as the stream has them.
func (s *Session) keys(indices []uint32) *machine.Buffer {
	return &machine.Buffer{Words: indices, Size: uint64(s.Call.Index())}
}

func (s *Session) loaded() uint64 {
	if s.Call.Operand == device.Loaded {
		return s.Updates
	}
	return 0
}

// Buffer places arrays in the address space, a multiple of 4 KiB behind the first, and returns the
// number of the last one.
func (s *Session) Buffer(arrays ...*machine.Buffer) int {
	for _, b := range arrays {
		b.Base = s.Top
		s.Top += (b.Bytes() + 4095) &^ 4095
	}
	s.Machine.Buffers = append(s.Machine.Buffers, arrays...)
	return len(s.Machine.Buffers) - 1
}

func (s *Session) Typed(n uint64) *machine.Buffer {
	if s.Call.Type.Bytes() == 4 {
		return machine.Counters(n)
	}
	return machine.Poisoned[uint64](n)
}

// SetValues draws values, which order moves with their updates, and what targets hold that are kept.
func (s *Session) SetValues(order []uint32) {
	if s.Call.Keeps {
		for k, v := range arith.Before(s.Call, s.Seed, s.Bins) {
			s.Machine.Buffers[BufTarget].Set(uint64(k), v)
		}
	}
	n := int(s.Updates)
	for buf, drawn := range map[int][]uint64{BufValue: arith.Values(s.Call, s.Seed, n),
		BufFactor: arith.Factors(s.Call, s.Seed, n)} {
		for i, v := range Permute(drawn, order) {
			s.Machine.Buffers[buf].Set(uint64(i), v)
		}
	}
}

// Launch runs a kernel and notes its time. It returns Err.
func (s *Session) Launch(p *machine.Program, shape device.Shape, args ...uint64) error {
	if s.Err == nil {
		var cycles int64
		cycles, s.Err = s.Machine.Launch(p, shape, args...)
		s.Times = append(s.Times, LaunchTime{p.Name, uint64(cycles)})
	}
	return s.Err
}

func (s *Session) shape() device.Shape {
	return s.Device.Limits().Shape(s.Implementation, s.Call, s.Bins, s.Grid, s.Fixed)
}

// Wide is a launch over n elements with one thread each, of no more blocks than are resident at once.
func (s *Session) Wide(n uint64) device.Shape {
	return s.Device.Limits().Shape(impl.Spec{}, device.Call{Type: s.Call.Type}, s.Bins, n, device.Launch{})
}

func (s *Session) Clear(buf int) error {
	b := s.Machine.Buffers[buf]
	n, name, value := b.Bytes()/b.ElemBytes(), "clear scratch", uint64(0)
	if buf == BufTarget {
		name, value = clearTarget, arith.Cleared(s.Call)
	}
	return s.Launch(clearKernel(name, buf, s.Machine.Lanes, value), s.Wide(n), n)
}

// Begin gives the machine the call's footprint and clears the targets, unless they keep what they
// hold. In a sample the footprint is that of the whole call: the targets are there as a whole, the
// other arrays as far as the stream.
func (s *Session) Begin() error {
	m := s.Machine
	m.Share = float64(s.Grid) / float64(max(1, s.Updates))
	footprint := uint64(0)
	for _, b := range m.Buffers {
		footprint += m.WholeBytes(b)
	}
	m.Stream = footprint > m.L2Bytes
	if s.Call.Keeps {
		return nil
	}
	return s.Clear(BufTarget)
}

func (s *Session) Run() error {
	how := ImplementationOf(s.Implementation)
	if how.place != nil {
		how.place(s)
	}
	s.Begin()
	how.launch(s)
	return s.Err
}

// Elapsed is the end of the last launch. A clear of few bytes costs no launch.
func (s *Session) Elapsed() float64 {
	times, bytes := s.Times, float64(s.Machine.Buffers[BufTarget].Bytes())
	if len(times) > 0 && times[0].Name == clearTarget && bytes <= s.Device.Launch.ClearFree.Value {
		times = times[1:]
	}
	return InLine(s.Device, times)
}

// InLine puts launches in line and returns the end of the last: the host enqueues one after the other without
// waiting, and the device runs them one after the other.
func InLine(d *device.Profile, launches []LaunchTime) (end float64) {
	enqueued := d.Launch.First.Value
	for _, k := range launches {
		begin := enqueued
		if end > 0 {
			begin = max(begin, end+d.Launch.Gap.Value)
		}
		end = begin + float64(k.Cycles)/d.Core.Clock.Value
		enqueued += d.Launch.Next.Value
	}
	return end
}

func (s *Session) Output(buf int) []uint64 {
	b := s.Machine.Buffers[buf]
	out := make([]uint64, b.Bytes()/b.ElemBytes())
	for i := range out {
		out[i] = b.Get(uint64(i))
	}
	return out
}

// OrderOf returns the places of the updates in the stream as the implementation
// has it re-laid, or nil where the stream stays as it is.
func OrderOf(d *device.Profile, v impl.Spec, indices []uint32, bins uint64) []uint32 {
	switch {
	case !v.Scatter:
		return nil
	case reductionOf(v.Reduction).runs:
		return relayout.Warps(indices, bins, int(d.Core.WarpLanes.Value))
	}
	return relayout.Order(indices, bins)
}

// HostTime returns the host's share in re-laying n updates, in microseconds.
func HostTime(d *device.Profile, v impl.Spec, n int) float64 {
	if !v.Scatter {
		return 0
	}
	return float64(n) * d.Host.Relayout.Value / 1e3
}

// Permute returns the elements in an order of package relayout; nil leaves them as they are.
func Permute[T any](in []T, order []uint32) []T {
	if in == nil || order == nil {
		return in
	}
	out := make([]T, len(order))
	for i, from := range order {
		out[i] = in[from]
	}
	return out
}

func Restore(in []uint64, order []uint32) []uint64 {
	if in == nil || order == nil {
		return in
	}
	out := make([]uint64, len(in))
	for place, update := range order {
		out[update] = in[place]
	}
	return out
}

// The bounds of package hwsim.
const (
	MaxUpdates = 1 << 28
	MaxBins    = 1 << 26
)

// Check reports a call that is invalid or that the device cannot make.
func Check(d *device.Profile, call device.Call, v impl.Spec, indices []uint32,
	bins uint64) error {
	if d == nil {
		return fmt.Errorf("%w: no device", machine.ErrStream)
	}
	if err := v.Validate(); err != nil {
		return fmt.Errorf("%w: %v", machine.ErrStream, err)
	}
	if err := d.CanCall(v, call, bins); err != nil {
		return err
	}
	how := ImplementationOf(v)
	switch {
	case len(indices) == 0:
		return fmt.Errorf("%w: no updates", machine.ErrStream)
	case len(indices) > MaxUpdates:
		return fmt.Errorf("%w: %d updates, at most %d", machine.ErrStream, len(indices), MaxUpdates)
	case bins > MaxBins:
		return fmt.Errorf("%w: %d targets, at most %d", machine.ErrStream, bins, MaxBins)
	case call.Validate() != nil:
		return call.Validate()
	}
	if err := CheckBelow(indices, bins); err != nil {
		return err
	}
	if how.grouped && !grouped(indices, bins) {
		return fmt.Errorf("%w: %s needs a stream in which each target is in one stretch",
			machine.ErrStream, v)
	}
	return nil
}

func CheckBelow(indices []uint32, bins uint64) error {
	i := slices.IndexFunc(indices, func(x uint32) bool { return uint64(x) >= bins })
	if i < 0 {
		return nil
	}
	return fmt.Errorf("%w: update %d: index %d is not below %d targets", machine.ErrStream, i, indices[i], bins)
}

func grouped(indices []uint32, bins uint64) bool {
	seen := make([]uint64, bins/64+1)
	for i, x := range indices {
		if i > 0 && indices[i-1] == x {
			continue
		}
		if seen[x>>6]>>(x&63)&1 != 0 {
			return false
		}
		seen[x>>6] |= 1 << (x & 63)
	}
	return true
}
