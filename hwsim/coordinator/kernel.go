package coordinator

import (
	"errors"
	"fmt"
)

var (
	// ErrKernel reports a kernel or an option that makes no sense.
	ErrKernel = errors.New("bad kernel")
	// ErrOccupancy reports more workgroups than the device runs at once.
	ErrOccupancy = errors.New("more workgroups than can run at once")
	// ErrStuck reports that no process can go on any more.
	ErrStuck = errors.New("deadlock")
)

// Kernel is what the workgroups of a launch do, the coordinator's not counted.
type Kernel struct {
	Variables []uint32    // initial values of the shared variables
	Groups    []Workgroup // all of equally many wavefronts
}

type Workgroup []Wavefront

type Wavefront []Statement

// Statement is one pass of a wavefront, or of the lanes on one side of a
// branch, through a piece of the kernel that ends in an atomic operation.
type Statement struct {
	Before, After Work // of the operation
	Op            Op
	Updates       []Update // the operations of the lanes, each once at most
}

// Update is one lane's share of an atomic operation.
type Update struct {
	Lane     int
	Variable int
	Operand  uint32
	Expected uint32 // by CompareExchange
}

// Work is the part of a statement that is not an atomic operation: accesses of the
// whole wavefront to 32-bit words of global memory and arithmetic.
type Work struct {
	Loads        int      // each lane its own word, side by side
	UniformLoads int      // all lanes the same word
	Stores       int      // each lane its own word, side by side
	Cycles       int      // of arithmetic
	Further      Accesses // after the loads; nil for none
}

// Accesses are accesses of a wavefront that a package beside this one makes.
type Accesses interface {
	Check(lanes int) error
	Run(w *Front)
}

// Bounds of the lanes, of the wavefronts of a launch, and of one piece of accesses.
const (
	WavefrontLanes = 64
	mostSlots      = 1 << 16
	mostAccesses   = 1 << 16
)

// uses is what a kernel has: an atomic operation, some that is not an addition, and wavefronts that
// may update several addresses at once.
type uses struct{ atomic, others, several bool }

// validate reports the first thing in the kernel that makes no sense, and else what a compiler
// would see of it.
func (k *Kernel) validate(lanes int) (found uses, err error) {
	switch {
	case lanes < 1 || lanes > WavefrontLanes:
		return found, fmt.Errorf("%w: wavefronts of %d lanes, want 1 to %d", ErrKernel, lanes, WavefrontLanes)
	case len(k.Groups) == 0 || len(k.Groups[0]) == 0 || len(k.Groups)*len(k.Groups[0]) > mostSlots:
		return found, fmt.Errorf("%w: %d workgroups, want 1 to %d wavefronts", ErrKernel, len(k.Groups), mostSlots)
	}
	for g, group := range k.Groups {
		if len(group) != len(k.Groups[0]) {
			return found, fmt.Errorf("%w: workgroup %d has %d wavefronts, workgroup 0 has %d", ErrKernel, g,
				len(group), len(k.Groups[0]))
		}
		for w, front := range group {
			for i, s := range front {
				if err := s.validate(lanes, len(k.Variables)); err != nil {
					return found, fmt.Errorf("%w: workgroup %d, wavefront %d, statement %d: %w", ErrKernel, g, w, i,
						err)
				}
				for _, u := range s.Updates {
					found.atomic, found.others = true, found.others || s.Op != Add
					found.several = found.several || u.Variable != s.Updates[0].Variable
				}
			}
		}
	}
	return found, nil
}

func (s *Statement) validate(lanes, variables int) error {
	for _, w := range []Work{s.Before, s.After} {
		if min(w.Loads, w.UniformLoads, w.Stores, w.Cycles) < 0 {
			return fmt.Errorf("work %+v is out of range", w)
		}
		if w.Further != nil {
			if err := w.Further.Check(lanes); err != nil {
				return err
			}
		}
	}
	if s.Op >= ops {
		return fmt.Errorf("operation %d", s.Op)
	}
	var seen uint64
	for _, u := range s.Updates {
		if u.Lane < 0 || u.Lane >= lanes || seen>>u.Lane&1 != 0 || u.Variable < 0 || u.Variable >= variables {
			return fmt.Errorf("lane %d, want 0 to %d, each once; variable %d, want 0 to %d", u.Lane, lanes-1,
				u.Variable, variables-1)
		}
		seen |= 1 << u.Lane
	}
	return nil
}

// Op is what an atomic operation makes of a variable.
type Op uint8

// The operations. [elteir11] section IV-A has Add and leaves the others for future work: with
// Add and CompareExchange it names the core of all.
const (
	Add             Op = iota // the old value and the operand, modulo 2^32
	Exchange                  // the operand
	CompareExchange           // the operand where the old value is the expected one

	ops
)

// apply returns what the variable holds after the operation.
func (o Op) apply(old, operand, expected uint32) uint32 {
	switch {
	case o == Add:
		return old + operand
	case o == CompareExchange && old != expected:
		return old
	}
	return operand
}

// request is the word that asks the coordinator: an operation and a variable, 0 for none.
type request uint32

func requestOf(o Op, variable int) request { return request(variable*int(ops)+int(o)) + 1 }

func (r request) op() Op        { return Op((r - 1) % request(ops)) }
func (r request) variable() int { return int((r - 1) / request(ops)) }

// names reports whether both ask for one variable.
func (r request) names(other request) bool { return r != 0 && r.variable() == other.variable() }
