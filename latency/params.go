// Package latency predicts in closed form what one warp's operation on shared
// memory costs: an atomic addition by a lock loop, a native unit or a
// compare-and-swap loop, or a plain access. It gives the mean over random
// patterns, and picks replication, padding and mapping for a vote space.
//
// References:
//
//	[gomezluna13] J. Gómez-Luna, J. M. González-Linares, J. I. Benavides,
//	              N. Guil. Performance Modeling of Atomic Additions on GPU
//	              Scratchpad Memory. IEEE TPDS 24(11), 2013.
package latency

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
)

// The errors of this package.
var (
	ErrPattern = errors.New("no such access pattern")
	ErrParams  = errors.New("unusable parameters")
)

// Inactive marks a lane that takes no part.
const Inactive = -1

// MaxLanes is the largest warp.
const MaxLanes = 64

// Structure is the shape of an operation on shared memory: what is counted.
type Structure struct {
	Mechanism device.Mechanism
	Lanes     int // lanes of a warp, at most MaxLanes
	Banks     int // of one 4-byte word each
	// Locks is the number of lock bits, to which word addresses map by their
	// low bits; 0 where every word has its own, as in a compare-and-swap loop.
	Locks int
	// Apart is a loop of software in which the first split of a whole warp has
	// a price of its own: Split, Ahead, AheadAgain, AheadLast.
	Apart bool
	// StepIteration is the iteration from which on Step is added, once; 0 for never.
	StepIteration int
	// Pairs: both halves of wide words are read at once where each pair of
	// neighbouring lanes, or of lanes two apart, wants the same word.
	Pairs bool
	// Wide words have 8 bytes: each takes two banks, and the halves of the
	// warp are served one after the other.
	Wide bool
}

// Constants are the lengths of what is counted, in cycles. On the GeForce GTX
// 580 [gomezluna13] gives Base 108, Round 120 and Bank = Write = 32, with 32
// banks and 1,024 locks.
type Constants struct {
	Base       float64 // t_base: an operation without conflict
	Round      float64 // t_position: each further iteration of a loop; native: each further lane on a bank
	Bank       float64 // t_bank: each further pass of a read
	Write      float64 // each further pass of a write
	Park       float64 // the lanes that are done outnumber the others and wait
	Merge      float64 // the others split again after that
	MergeSaved float64 // less for each further time
	Split      float64 // apart: a whole warp splits for the first time
	Ahead      float64 // apart: less where the lanes that are done then are the more,
	AheadAgain float64 // still less where they are again at the second branch,
	AheadLast  float64 // or where there is no second branch
	Step       float64 // once, if there are StepTurn turns
	Partial    float64 // lanes of the warp take no part
	Hidden     float64 // of the first read's conflict, at most: passes beneath other work
	Half       float64 // wide: saved in an iteration in which a half has no lane left
	Paired     float64 // wide: saved where both halves are read at once
}

// Params describe one operation on one device.
type Params struct {
	Structure
	Constants
}

// ForDevice returns the parameters of an operation on words of type t in the
// device's shared memory. Errors wrap device.ErrCannot.
func ForDevice(d *device.Profile, o device.Operation, t device.Type) (Params, error) {
	a, err := d.SharedOperation(o, t)
	if err != nil {
		return Params{}, err
	}
	p := Params{
		Structure: Structure{
			Mechanism: a.Mechanism, Lanes: int(d.Core.WarpLanes.Value), Banks: int(d.Shared.Banks.Value),
			Locks: int(a.Locks.Value), Wide: t.Bytes() > int(d.Shared.BankBytes.Value),
		},
	}
	if a.Mechanism == device.CAS {
		p.Locks = 0
	}
	device.FactsOf(&a, func(f device.Fact) {
		if term := slices.Index(termNames[:], strings.TrimPrefix(f.Place, "warp.")); term >= 0 {
			*p.Term(term) = f.Quantity.Value
		}
	})
	if a.Warp != nil {
		p.Apart = a.Mechanism == device.CAS && max(p.Split, p.Ahead, p.AheadAgain, p.AheadLast) > 0
		p.StepIteration, p.Pairs = int(a.Warp.StepTurn.Value), p.Wide && p.Paired > 0
	}
	return p, p.Validate()
}

// Loops reports whether the mechanism is a loop of iterations.
func (s Structure) Loops() bool {
	return s.Mechanism == device.Lock || s.Mechanism == device.Spin || s.Mechanism == device.CAS
}

// Validate reports parameters that cannot be used. Errors wrap ErrParams.
func (p Params) Validate() error {
	native := []device.Mechanism{device.Native, device.Merge, device.Access}
	switch {
	case !p.Loops() && !slices.Contains(native, p.Mechanism):
		return fmt.Errorf("%w: mechanism %q", ErrParams, p.Mechanism)
	case p.Lanes < 1 || p.Lanes > MaxLanes || p.Banks < 1 || p.Banks > 1<<20 || p.Locks < 0 ||
		p.Locks > 1<<20 || p.StepIteration < 0:
		return fmt.Errorf("%w: %d lanes, %d banks, %d locks", ErrParams, p.Lanes, p.Banks, p.Locks)
	case p.Wide && p.Banks < 2:
		return fmt.Errorf("%w: words of 8 bytes in %d bank", ErrParams, p.Banks)
	}
	for _, c := range p.each() {
		if !(*c >= 0) || math.IsInf(*c, 0) {
			return fmt.Errorf("%w: %v cycles in %+v", ErrParams, *c, p.Constants)
		}
	}
	return nil
}

// Columns is the number of banks, or of pairs of banks where words are wide.
func (s Structure) Columns() int {
	if s.Wide {
		return s.Banks / 2
	}
	return s.Banks
}

// Column returns the bank of a word, or its pair of banks where words are wide.
func (s Structure) Column(word int32) int32 {
	return int32(remainder(uint32(word), uint32(s.Columns())))
}

// LockCount is the number of locks that words map to: half as many as there
// are lock bits where words are wide, which share the lock of their lower half.
// It is 0 where each word has its own.
func (s Structure) LockCount() int {
	if s.Wide && s.Locks > 0 {
		return max(1, s.Locks/2)
	}
	return s.Locks
}

// Lock returns the lock of a word: its low address bits, or the word itself
// where each has its own.
func (s Structure) Lock(word int32) int32 {
	return int32(remainder(uint32(word), uint32(s.LockCount())))
}

// remainder is that of a word divided by n, at once where n is a power of two; or the word
// where n is 0.
func remainder(word, n uint32) uint32 {
	if n&(n-1) == 0 {
		return word & (n - 1)
	}
	return word % n
}
