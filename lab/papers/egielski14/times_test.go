package egielski14

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/simtimes"
	"github.com/atomtune/atomtune/lab/papers"
)

// name names a run of the default seed and scale. The input comes last.
func (r run) name() string {
	return fmt.Sprintf("%s/%v/%v/%d/%s/%s", r.device, r.application, r.of, r.level, r.form.name,
		r.input)
}

// withTimes is simulations that knows the times of testdata/times.csv, but for one
// input of each form of each application on each device.
func withTimes(t *testing.T) (*simulations, simtimes.Times) {
	t.Helper()
	o, err := papers.Options{}.Complete()
	if err != nil {
		t.Fatal(err)
	}
	times := simtimes.Read(t, "testdata/times.csv")
	held := times.Held(func(name string) string { return name[:strings.LastIndex(name, "/")] })
	c := newSimulations()
	for _, j := range on(append(imageHistograms(), matrixProduct(), mergeSort(), pageViews(),
		summation())...) {
		inputs, err := c.inputs(j.benchmark, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range inputs {
			for _, form := range j.forms {
				r := j.run(o, j.gpu, form, in)
				if us, ok := held[r.name()]; ok {
					c.done[r] = us
				}
			}
		}
	}
	if len(c.done) != len(held) {
		t.Errorf("%d of %d times belong to runs of the experiments", len(c.done), len(held))
	}
	return c, times
}

// byName returns the times of simulations by the names of its runs.
func (c *simulations) byName() map[string]float64 {
	all := map[string]float64{}
	for r, us := range c.done {
		all[r.name()] = us
	}
	return all
}
