package coordinator

import (
	"errors"
	"fmt"
)

// AtomicOnly is the first micro-benchmark of [elteir11] section VI-A: each
// thread adds its global index to one variable, and that is all.
func AtomicOnly(groups, wavefronts, lanes int) *Kernel {
	return additions(groups, wavefronts, lanes, Work{})
}

// Copy is the kernel of [elteir11] Figure 3: each thread adds its global index
// to one variable, reads the variable and writes it to its own element of an
// array.
func Copy(groups, wavefronts, lanes int) *Kernel {
	return additions(groups, wavefronts, lanes, Work{UniformLoads: 1, Stores: 1})
}

func additions(groups, wavefronts, lanes int, after Work) *Kernel {
	k := &Kernel{Variables: []uint32{0}, Groups: make([]Workgroup, groups)}
	thread := uint32(0)
	for g := range k.Groups {
		k.Groups[g] = make(Workgroup, wavefronts)
		for w := range k.Groups[g] {
			s := Statement{After: after}
			for lane := range lanes {
				s.Updates = append(s.Updates, Update{Lane: lane, Operand: thread})
				thread++
			}
			k.Groups[g][w] = Wavefront{s}
		}
	}
	return k
}

// Stream is the implementation `coordinator` on an index stream: update i adds
// values[i], or 1 where values is nil, to variable indices[i]. A wavefront loads
// its indices, and values, and adds; wavefront w of W has the updates of turn t
// from (t*W + w)*lanes on. Errors wrap ErrKernel.
func Stream(indices, values []uint32, variables, groups, wavefronts, lanes int) (*Kernel, error) {
	if groups < 1 || wavefronts < 1 || lanes < 1 || groups*wavefronts > mostSlots {
		return nil, fmt.Errorf("%w: %d workgroups of %d wavefronts of %d lanes", ErrKernel, groups,
			wavefronts, lanes)
	}
	if values != nil && len(values) != len(indices) {
		return nil, fmt.Errorf("%w: %d values for %d updates", ErrKernel, len(values), len(indices))
	}
	k := &Kernel{Variables: make([]uint32, variables), Groups: make([]Workgroup, groups)}
	for g := range k.Groups {
		k.Groups[g] = make(Workgroup, wavefronts)
	}
	before := Work{Loads: 1}
	if values != nil {
		before.Loads = 2
	}
	for first := 0; first < len(indices); first += lanes {
		front := first / lanes % (groups * wavefronts)
		s := Statement{Before: before}
		for i := first; i < min(first+lanes, len(indices)); i++ {
			if uint64(indices[i]) >= uint64(variables) {
				return nil, fmt.Errorf("%w: update %d: index %d is not below %d variables", ErrKernel, i,
					indices[i], variables)
			}
			u := Update{Lane: i - first, Variable: int(indices[i]), Operand: 1}
			if values != nil {
				u.Operand = values[i]
			}
			s.Updates = append(s.Updates, u)
		}
		w := &k.Groups[front/wavefronts][front%wavefronts]
		*w = append(*w, s)
	}
	return k, nil
}

// Fastest launches a kernel with workgroups of one, two and four wavefronts, as
// [elteir11] section VI does with 64, 128 and 256 threads, and returns the
// cycles of the fastest launch. Sizes of which not so many workgroups run at
// once are left out. Errors are those of Run.
func Fastest(kernel func(groups, wavefronts, lanes int) *Kernel, groups int, o Options) (float64,
	error) {
	best := 0.0
	var refused error
	for _, wavefronts := range []int{1, 2, 4} {
		r, err := Run(kernel(groups, wavefronts, WavefrontLanes), o)
		switch {
		case errors.Is(err, ErrOccupancy):
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
