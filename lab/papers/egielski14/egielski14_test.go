package egielski14

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/lab/papers"
)

// TestStatuses: what is enforced holds, what is a known gap does not. The times are those of
// testdata/times.csv, of which a sample is simulated.
func TestStatuses(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in the full tests: simulates applications")
	}
	c, times := withTimes(t)
	items := map[string]bool{}
	gaps := 0
	for _, e := range c.experiments().Experiments {
		out, err := e.Run(context.Background(), papers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out.Rows {
			if failure := r.Failure(); failure != "" {
				t.Error(failure)
			}
			if items[r.Item] || r.Reason == "" || r.Paper != "egielski14" {
				t.Errorf("twice, or incomplete: %+v", r)
			}
			items[r.Item] = true
			if r.Status == papers.KnownGap {
				gaps++
			}
		}
		if svg, err := out.Page.SVG(); err != nil || len(svg) < 1000 {
			t.Errorf("%s: a figure of %d bytes, %v", e.Name, len(svg), err)
		}
		for _, table := range out.Tables {
			if len(table.Cells) == 0 || len(table.Cells[0]) != len(table.Columns) {
				t.Errorf("%s: %d rows", table.Name, len(table.Cells))
			}
		}
	}
	if len(items) != 99 || gaps != 28 {
		t.Errorf("%d rows, %d known gaps", len(items), gaps)
	}
	flatAlone(t, c)
	times.Compare(t, c.byName())
}

// flatAlone checks a reason: without the flattest images the maxima of Table 1
// are within the limit. It finds the times that c has simulated already.
func flatAlone(t *testing.T, c *simulations) {
	o, err := papers.Options{Cores: 1}.Complete()
	if err != nil {
		t.Fatal(err)
	}
	before := len(c.done)
	for i, b := range imageHistograms() {
		all, err := c.measure(context.Background(), o, job{b, kepler})
		if err != nil {
			t.Fatal(err)
		}
		m := all[0].narrowed(colliding(0, 0.92))
		if most := extentOf(m.speedups(formVR, formAA)).most; i > 0 &&
			!papers.Within(most, histogramTables[kepler][i].most, extremeFactor) {
			t.Errorf("%s: %.2f without the flattest images", b.name, most)
		}
	}
	if len(c.done) != before {
		t.Error("runs were repeated")
	}
}

// TestInputs: as many as the paper has, spread over the collision levels.
func TestInputs(t *testing.T) {
	all, err := images(7, 1)
	if err != nil {
		t.Fatal(err)
	}
	var tenths [10]int
	shown := 0
	for _, in := range all {
		tenths[min(9, int(in.levels[0]*10))]++
		if in.represents {
			shown++
		}
	}
	if len(all) != Images || shown != 10 || slices.Min(tenths[:]) < 2 || slices.Max(tenths[:]) > 6 {
		t.Errorf("%d images, %d shown, by tenths of the warp level %v", len(all), shown, tenths)
	}
	products, err := sparse(7, 1)
	if err != nil {
		t.Fatal(err)
	}
	shown, motivating := 0, 0
	for _, in := range products {
		if in.represents {
			shown++
		}
		if in.motivates {
			motivating++
		}
		n := len(in.Keys)
		if n != elements || len(in.Others) != n || !slices.IsSorted(in.Keys) ||
			uint64(in.Keys[n-1])+1 != in.Bins || uint64(slices.Max(in.Others)) >= in.Width {
			t.Errorf("%s: %d and %d elements of %d rows and %d columns", in.name, n, len(in.Others), in.Bins,
				in.Width)
		}
	}
	if len(products) != Matrices || shown != 10 || motivating != statedMatrices {
		t.Errorf("%d matrices, %d shown, %d of Figure 2", len(products), shown, motivating)
	}
}

// TestRowLengths: matrices have the mean row lengths of their table.
func TestRowLengths(t *testing.T) {
	all, err := sparse(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range matrices {
		mean := float64(len(all[i].Keys)) / float64(all[i].Bins)
		if !papers.Within(mean, m.mean, 1.2) {
			t.Errorf("%s: %.2f elements per row, want %v", m.name, mean, m.mean)
		}
	}
}

// taught makes up a benchmark whose second form is the faster one from a warp
// level of a half on, but for the outlier.
func taught(n, outlier int) measured {
	m := measured{job: job{benchmark: benchmark{forms: []appForm{formAA, formVR}}}}
	for i := range n {
		level := (float64(i) + 0.5) / float64(n)
		us := []float64{1, 2}
		if (level >= 0.5) != (i == outlier) {
			us = []float64{2, 1}
		}
		m.inputs = append(m.inputs, input{levels: [3]float64{level, level, 5}})
		m.us = append(m.us, us)
	}
	return m
}

// TestLeaveOneOut: each input's form comes from the others, so an outlier is
// missed, and all but those at the border are right.
func TestLeaveOneOut(t *testing.T) {
	const outlier = 5
	m := taught(40, outlier)
	if err := m.choose(); err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i := range m.us {
		if m.us[i][m.chosen[i]] != m.best(i) {
			wrong++
		}
	}
	if m.us[outlier][m.chosen[outlier]] == m.best(outlier) || wrong > 5 {
		t.Errorf("%d wrong: %v", wrong, m.chosen)
	}
	if off := m.offOptimal(); math.Abs(off-100*float64(wrong)/40) > 1e-9 {
		t.Errorf("%d of 40 take twice as long: off optimal %v %%", wrong, off)
	}
}

// TestSimulations: a run is simulated once, and one with a wrong output is an
// error.
func TestSimulations(t *testing.T) {
	runs := 0
	c := newSimulations()
	c.simulate = func(cfg apps.AppConfig, in apps.AppInput) (apps.AppResult, error) {
		runs++
		return apps.AppResult{Kernels: []hwsim.KernelTime{{Cycles: 529}, {Cycles: 529}}, Correct: true},
			nil
	}
	in := input{name: "made up", AppInput: apps.AppInput{Keys: []uint32{0}, Bins: 1}}
	b := summation()
	for range 3 {
		us, err := c.us(b.run(papers.Options{}, kepler, formAA, in), in)
		if err != nil || us != 1 { // the GTX 680 has 1,058 cycles per microsecond
			t.Errorf("%v us, %v", us, err)
		}
	}
	if runs != 1 {
		t.Errorf("%d runs", runs)
	}
	c.simulate = func(apps.AppConfig, apps.AppInput) (apps.AppResult, error) {
		return apps.AppResult{Kernels: []hwsim.KernelTime{{Cycles: 1}}}, nil
	}
	if _, err := c.us(b.run(papers.Options{}, fermi, formAA, in), in); !errors.Is(err,
		hwsim.ErrSimulation) {
		t.Errorf("a wrong output: %v", err)
	}
}

// with is a simulations on profiles that were changed.
func with(change func(*device.Profile)) *simulations {
	c := newSimulations()
	c.profile = func(name string) (*device.Profile, error) {
		d, err := device.Builtin(name)
		if err != nil {
			return nil, err
		}
		other := *d
		other.GlobalAtomics = map[string]device.GlobalAtomic{}
		for key, a := range d.GlobalAtomics {
			other.GlobalAtomics[key] = a
		}
		change(&other)
		return &other, nil
	}
	return c
}

// some measures a benchmark on some of its inputs.
func (c *simulations) some(t *testing.T, b benchmark, gpu string, keep func(input) bool) measured {
	t.Helper()
	all := b.inputs
	b.inputs = func(seed uint64, scale int) ([]input, error) {
		inputs, err := all(seed, scale)
		return slices.DeleteFunc(inputs, func(in input) bool { return !keep(in) }), err
	}
	o, err := papers.Options{Cores: 1}.Complete()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.measure(context.Background(), o, job{b, gpu})
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}
