package learners

import (
	"cmp"
	"slices"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/tuner/training"
)

// wholeLines returns the samples that are compared on: all, or whole lines of as
// many as there may be, in their order.
func (o *LearnerOptions) wholeLines(samples []training.Sample) []int {
	type line struct {
		samples  []int
		screened int // 0 where everything was simulated
	}
	place := map[int]int{}
	var lines []line
	for i := range samples {
		at, ok := place[samples[i].Line]
		if !ok {
			at = len(lines)
			place[samples[i].Line] = at
			lines = append(lines, line{})
		}
		lines[at].samples = append(lines[at].samples, i)
		if !samples[i].Complete {
			lines[at].screened = 1
		}
	}
	shuffle(lines, len(lines), o.Seed)
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.screened, b.screened) })
	var list []int
	for _, l := range lines {
		if len(list)+len(l.samples) <= o.Samples {
			list = append(list, l.samples...)
		}
	}
	slices.Sort(list)
	return list
}

// drawn returns the samples on which a learner is fitted: all, or for a slow one
// as many as it may have, drawn without replacement, in their order.
func (o *LearnerOptions) drawn(l Learner, samples []int) []int {
	if !l.Subset || len(samples) <= o.Most {
		return samples
	}
	list := slices.Clone(samples)
	shuffle(list, o.Most, o.Seed)
	list = list[:o.Most]
	slices.Sort(list)
	return list
}

// shuffle draws the first n of a list.
func shuffle[E any](list []E, n int, seed uint64) {
	r := synth.NewRand(seed)
	for i := range n {
		j := i + int(r.Below(uint64(len(list)-i)))
		list[i], list[j] = list[j], list[i]
	}
}
