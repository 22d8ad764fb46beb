package bench

import (
	"fmt"
	"maps"
	"slices"
)

// Further is what a table got from a run of its own.
type Further struct {
	Implementations []string `json:"implementations"`
	With            []string `json:"with"` // what that run was measured with
	// CallTimes is how many times as long the call took in that run, in the geometric mean over the
	// streams and kinds that both have; 0 where that run did not time it.
	CallTimes float64 `json:"call_times"`
}

// Join adds the times of the implementations that r has on no stream, of a later run on the same
// GPU and on streams of r. Errors wrap ErrRun; r then stays as it is.
func (r *Run) Join(more *Run) error {
	if more.GPU != r.GPU {
		return fmt.Errorf("%w: further times of %q do not belong to those of %q", ErrRun, more.GPU, r.GPU)
	}
	lacked := more.implementations()
	maps.DeleteFunc(lacked, func(name string, _ bool) bool { return r.implementations()[name] })
	if len(lacked) == 0 {
		return fmt.Errorf("%w: further times of the %s have no new implementation", ErrRun, r.GPU)
	}
	own, err := r.casesOf(more)
	if err != nil {
		return err
	}
	var calls []float64
	for i := range more.Cases {
		c := &more.Cases[i]
		for at, t := range c.Times {
			if lacked[at.Implementation] {
				own[i].Times[at] = t
			}
		}
		at := Place{"u32", call, ""}
		later, there := c.time(at)
		if before, here := own[i].time(at); there && here {
			calls = append(calls, later.US/before.US)
		}
	}
	f := Further{Implementations: slices.Sorted(maps.Keys(lacked)), With: more.With}
	if len(calls) > 0 {
		f.CallTimes = geometricMean(calls)
	}
	r.Further = append(r.Further, f)
	return nil
}

// implementations are those of all streams.
func (r *Run) implementations() map[string]bool {
	all := map[string]bool{}
	for _, c := range r.Cases {
		for at := range c.Times {
			all[at.Implementation] = true
		}
	}
	return all
}

// casesOf lists the cases of r that are those of a later run, in its order.
func (r *Run) casesOf(more *Run) ([]*Case, error) {
	known := map[caseKey]*Case{}
	for i := range r.Cases {
		c := &r.Cases[i]
		known[caseKey{c.Group, c.Label, c.Kind}] = c
	}
	var all []*Case
	for _, c := range more.Cases {
		own := known[caseKey{c.Group, c.Label, c.Kind}]
		if own == nil || own.Stream != c.Stream {
			return nil, fmt.Errorf("%w: further times of %s, %s, whose stream is not that of the table",
				ErrRun, c.Label, c.Kind)
		}
		all = append(all, own)
	}
	return all, nil
}
