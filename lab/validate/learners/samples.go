package learners

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/training"
	"github.com/atomtune/atomtune/variant"
)

// upTo lists the numbers from 0 up to n, exclusively.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// recordedSamples returns the questions of one part as samples whose simulated times are the
// measured ones, of implementations whose whole time passes on the device.
func recordedSamples(
	t *training.Training, d *device.Profile, part recordings.Part,
) (list []training.Sample, err error) {
	a := recorded.Archive(d.Name)
	if a == nil {
		return nil, fmt.Errorf("no calls were recorded on %s", d.Name)
	}
	questions, err := recorded.OfPart(a, part)
	if err != nil {
		return nil, err
	}
	for _, q := range questions {
		times := map[variant.Variant]float64{}
		for _, v := range recorded.OnDevice() {
			if us, ok := q.US[v]; ok {
				times[v] = us
			}
		}
		s, err := t.Sample(q.Stats, q.Call, times)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.Label, err)
		}
		list = append(list, s)
	}
	return list, nil
}

// wholeLines returns the samples that are compared on: all, or whole lines of as
// many as there may be, in their order.
func (o *comparison) wholeLines(samples []training.Sample) []int {
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
	shuffle(lines, len(lines), o.seed)
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.screened, b.screened) })
	var list []int
	for _, l := range lines {
		if len(list)+len(l.samples) <= o.samples {
			list = append(list, l.samples...)
		}
	}
	slices.Sort(list)
	return list
}

// drawn returns the samples on which a learner is fitted: all, or for a slow one
// as many as it may have, drawn without replacement, in their order.
func (o *comparison) drawn(l Learner, samples []int) []int {
	if !l.Subset || len(samples) <= o.most {
		return samples
	}
	list := slices.Clone(samples)
	shuffle(list, o.most, o.seed)
	list = list[:o.most]
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
