package latency

import (
	"slices"

	"github.com/atomtune/atomtune/variant"
)

// layouts lists the ways to lay out the copies that fit. One copy has neither
// mapping nor padding.
func (p Params) layouts(o OptimizeOptions) []Votes {
	maps := o.Maps
	if len(maps) == 0 {
		maps = []variant.Mapping{variant.Cyclic, variant.Block}
	}
	var out []Votes
	for _, r := range p.replicas(o) {
		for _, m := range maps {
			for _, pad := range p.pads(o) {
				v := Votes{Words: o.Words, Replicas: r, Pad: pad, Map: m, Threads: o.Threads}
				if r == 1 {
					v.Pad, v.Map = 0, variant.Cyclic
				}
				if v.Validate() == nil && v.Total() <= o.SharedWords && !slices.Contains(out, v) {
					out = append(out, v)
				}
			}
		}
	}
	return out
}

// replicas lists the numbers of copies to try: one is always among them, since
// all others are compared with it.
func (p Params) replicas(o OptimizeOptions) []int {
	if len(o.Replicas) > 0 {
		return append([]int{1}, o.Replicas...)
	}
	most := min(p.Lanes, o.SharedWords/o.Words)
	var out []int
	for r := 1; r <= most; r *= 2 {
		out = append(out, r)
	}
	return append(out, most)
}

func (p Params) pads(o OptimizeOptions) []int {
	if len(o.Pads) > 0 {
		return o.Pads
	}
	return []int{0, 1, 2, 3, 4, max(0, p.Columns()-1)}
}
