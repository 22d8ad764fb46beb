package coordinator

import "fmt"

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
