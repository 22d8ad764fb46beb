package request

import (
	"fmt"
	"sync"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// Features returns what decision trees read of a stream: of the same sample as that of a call on the GPU.
func (r *Request) Features(s Stream) dispatch.Features {
	return dispatch.SampleFrom(uint64(s.Len()), func(at uint64) uint32 {
		return s.target(int(at), r.Bins)
	}, r.Options.Call, r.Bins)
}

// trees keeps those that were asked for: *dispatch.Tree by name.
var trees sync.Map

// Leaf returns the number of the candidate that the device's tree names, and it with as many copies as fit.
func (r *Request) Leaf(f dispatch.Features) (candidate int, a Answer, err error) {
	d, _, err := r.profile()
	if err != nil {
		return 0, a, err
	}
	if class := dispatch.ClassOf(r.Options.Call.Type); class != f[dispatch.Type] {
		return 0, a, fmt.Errorf("%w: features of type class %d, %s is of %d", ErrArgument,
			f[dispatch.Type], r.Options.Call.Type, class)
	}
	tree, known := trees.Load(d.Name)
	if !known {
		if tree, err = dispatch.Embedded(d.Name); err != nil {
			return 0, a, err
		}
		trees.Store(d.Name, tree)
	}
	t := tree.(*dispatch.Tree)
	candidate = int(t.Nodes[t.Find(&f)].Right)
	return candidate, fitted(t.Candidates[candidate], d, r.Options.Call.Type, &f), nil
}

// fitted is the answer that a candidate is.
func fitted(candidate dispatch.Candidate, d *device.Profile, t device.Type, f *dispatch.Features) Answer {
	limits, updates, bins := d.Limits(), uint64(f[dispatch.Updates]), uint64(f[dispatch.Bins])
	v := candidate.Fitted(limits, t, bins)
	a := untimed(v, limits.Shape(v, device.Call{Type: t}, bins, updates, candidate.Launch.On(limits)))
	a.Source, a.Reason = Leaf, fmt.Sprintf("The decision tree of %s chose it from a sample.", d.Title)
	return a
}
