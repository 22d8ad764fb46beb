// Package experiment holds what [elteir11] measures beside whole calls of the
// implementation `coordinator`: its micro-benchmarks, loops of loads, and the regime
// that its equations assume.
//
// References: those of package coordinator.
package experiment

import (
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/hwsim/coordinator"
)

// AtomicOnly is the first micro-benchmark of [elteir11] section VI-A: each
// thread adds its global index to one variable, and that is all.
func AtomicOnly(groups, wavefronts, lanes int) *coordinator.Kernel {
	return additions(groups, wavefronts, lanes, coordinator.Work{})
}

// Copy is the kernel of [elteir11] Figure 3: each thread adds its global index
// to one variable, reads the variable and writes it to its own element of an
// array.
func Copy(groups, wavefronts, lanes int) *coordinator.Kernel {
	return additions(groups, wavefronts, lanes, coordinator.Work{UniformLoads: 1, Stores: 1})
}

func additions(groups, wavefronts, lanes int, after coordinator.Work) *coordinator.Kernel {
	k := &coordinator.Kernel{Variables: []uint32{0}, Groups: make([]coordinator.Workgroup, groups)}
	thread := uint32(0)
	for g := range k.Groups {
		k.Groups[g] = make(coordinator.Workgroup, wavefronts)
		for w := range k.Groups[g] {
			s := coordinator.Statement{After: after}
			for lane := range lanes {
				s.Updates = append(s.Updates, coordinator.Update{Lane: lane, Operand: thread})
				thread++
			}
			k.Groups[g][w] = coordinator.Wavefront{s}
		}
	}
	return k
}

// Alone is AtomicOnly with another operation, and operands from 1 on. Comparisons expect the
// first value.
func Alone(op coordinator.Op) func(groups, wavefronts, lanes int) *coordinator.Kernel {
	return func(groups, wavefronts, lanes int) *coordinator.Kernel {
		k := AtomicOnly(groups, wavefronts, lanes)
		for _, g := range k.Groups {
			for _, front := range g {
				front[0].Op = op
				for i := range front[0].Updates {
					front[0].Updates[i].Operand++
				}
			}
		}
		return k
	}
}

// LocalAdd is an atomic addition of so many lanes to one word of local memory, the first half of
// an atomic operation that one lane makes for all.
type LocalAdd int

// Check reports more lanes than there are, or none.
func (n LocalAdd) Check(lanes int) error {
	if n < 1 || int(n) > lanes {
		return fmt.Errorf("%d lanes add in local memory, want 1 to %d", n, lanes)
	}
	return nil
}

// Run executes the addition.
func (n LocalAdd) Run(w *coordinator.Front) { w.Until(w.Timing.LocalAtomic(w, int(n))) }

// AtomicCycles is the time until the last atomic operation has returned.
func AtomicCycles(r coordinator.Result) float64 {
	last := int64(0)
	for _, h := range r.History {
		last = max(last, h.End)
	}
	return float64(last) / float64(coordinator.Ticks(1))
}

// Fastest launches a kernel with workgroups of one, two and four wavefronts, as
// [elteir11] section VI does with 64, 128 and 256 threads, and returns the
// cycles of the fastest launch. Sizes of which not so many workgroups run at
// once are left out. Errors are those of Run.
func Fastest(kernel func(groups, wavefronts, lanes int) *coordinator.Kernel, groups int,
	o coordinator.Options) (float64, error) {
	best := 0.0
	var refused error
	for _, wavefronts := range []int{1, 2, 4} {
		r, err := coordinator.Run(kernel(groups, wavefronts, coordinator.WavefrontLanes), o)
		switch {
		case errors.Is(err, coordinator.ErrOccupancy):
			refused = err
		case err != nil:
			return 0, err
		case best == 0 || r.Cycles < best:
			best = r.Cycles
		}
	}
	if best == 0 {
		return 0, refused
	}
	return best, nil
}
