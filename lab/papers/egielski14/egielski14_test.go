package egielski14

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/papers"
)

// TestInputs: as many as the paper has, spread over the collision levels, and none of one level
// nearly all over.
func TestInputs(t *testing.T) {
	o, images := complete(t, papers.Options{Seed: 7, Scale: 1.0 / 16}), imageHistograms()[0]
	all := images.inputs(o)
	var tenths [10]int
	shown := 0
	for _, in := range all {
		var err error
		if in.levels, err = images.levels(o, in); err != nil {
			t.Fatal(err)
		}
		tenths[min(9, int(in.levels[0]*10))]++
		if in.levels[0] > 0.95 { // the share of one level is no larger
			t.Errorf("%s is nearly flat: %v", in.name, in.levels)
		}
		if in.represents {
			shown++
		}
	}
	if len(all) != Images || shown != 10 || slices.Min(tenths[:]) < 2 || slices.Max(tenths[:]) > 6 {
		t.Errorf("%d images, %d shown, by tenths of the warp level %v", len(all), shown, tenths)
	}
}

// TestMatrices: a drawn matrix has the rows, columns and elements of its table, or a sixteenth of
// the rows at a sixteenth of the scale, with as many elements in the mean row.
func TestMatrices(t *testing.T) {
	part := papers.Options{Scale: 1.0 / 16, Seed: 1}
	checked := 0
	for i, in := range sparse(part) {
		drawn, err := in.draw()
		if err != nil {
			t.Fatal(err)
		}
		m, n := matrices[i], len(drawn.Keys)
		rows, mean := int(drawn.Bins), float64(m.elements)/float64(m.rows)
		if rows != part.Scaled(m.rows) || n != part.Scaled(m.elements) || len(drawn.Others) != n ||
			!slices.IsSorted(drawn.Keys) || int(drawn.Keys[n-1]) >= rows ||
			uint64(slices.Max(drawn.Others)) >= drawn.Width ||
			!papers.Within(float64(n)/float64(rows), mean, 1.01) {
			t.Errorf("%s: %d and %d elements of %d rows and %d columns", in.name, n, len(drawn.Others), rows,
				drawn.Width)
		}
		if whole := m.scaled(papers.Options{Scale: 1}); whole != m {
			t.Errorf("%+v at scale 1, want %+v", whole, m)
		}
		checked++
	}
	if checked != Matrices {
		t.Errorf("%d matrices", checked)
	}
}

// TestStructure: a drawn matrix has the structure that is published of the file; with
// ATOMTUNE_FULL=1 the large ones are drawn too.
func TestStructure(t *testing.T) {
	checked := 0
	for i, in := range sparse(papers.Options{Scale: 1}) {
		want := matrices[i].structure
		if matrices[i].elements > 1_500_000 && !golden.Full() {
			continue
		}
		drawn, err := in.draw()
		if err != nil {
			t.Fatal(err)
		}
		got := structureOf(drawn)
		if math.Abs(got.deviation-want.deviation) > 0.5*want.deviation+0.5 ||
			!papers.Within(got.width, want.width, 1.02) ||
			!papers.Within(got.neighbours, want.neighbours, 1.3) ||
			math.Abs(got.similarity-want.similarity) > 0.25 {
			t.Errorf("%s: %+v, want %+v", in.name, got, want)
		}
		checked++
	}
	if checked < 2 {
		t.Errorf("%d matrices", checked)
	}
}

// structureOf counts as [mpakos23] does.
func structureOf(in apps.AppInput) (s structure) {
	rows := make([][]uint32, in.Bins)
	for i, row := range in.Keys {
		rows[row] = in.Others[i-len(rows[row]) : i+1]
	}
	n, filled := float64(len(rows)), 0.0
	for i, row := range rows {
		if len(row) == 0 {
			continue
		}
		var next []uint32
		if i+1 < len(rows) {
			next = rows[i+1]
		}
		alike := 0.0
		for j, column := range row {
			if j > 0 && column-row[j-1] == 1 {
				s.neighbours += 2 / float64(len(in.Keys))
			}
			at, _ := slices.BinarySearch(next, max(1, column)-1)
			if at < len(next) && next[at] <= column+1 {
				alike++
			}
		}
		filled++
		s.similarity += alike / float64(len(row))
		s.width += float64(row[len(row)-1]-row[0]) / n
		s.deviation += math.Pow(float64(len(row))-float64(len(in.Keys))/n, 2) / n
	}
	s.deviation, s.similarity = math.Sqrt(s.deviation), s.similarity/filled
	return s
}

// TestSizes: keys are as many as said, summands as many as in the sample of the CUDA SDK.
func TestSizes(t *testing.T) {
	whole := papers.Options{Scale: 1}
	for size, inputs := range map[int][]input{1_048_576: keySequences(whole), 16_777_216: sums(whole)} {
		drawn, err := inputs[len(inputs)-1].draw()
		if err != nil || len(drawn.Keys) != size {
			t.Errorf("%d elements, %v, want %d", len(drawn.Keys), err, size)
		}
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
	in := input{name: "made up", draw: func() (apps.AppInput, error) {
		return apps.AppInput{Keys: []uint32{0}, Bins: 1}, nil
	}}
	o, j := papers.Options{Memo: papers.NewMemo(nil)}, job{summation(), kepler}
	for range 3 {
		us, err := c.us(o, j, formAA, in)
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
	j.gpu = fermi
	if _, err := c.us(o, j, formAA, in); !errors.Is(err, hwsim.ErrSimulation) {
		t.Errorf("a wrong output: %v", err)
	}
}

// TestMeasure: each run is simulated once, and an input is drawn once for all of its runs.
func TestMeasure(t *testing.T) {
	var mu sync.Mutex
	runs, draws := 0, map[string]int{}
	c := newSimulations()
	c.simulate = func(cfg apps.AppConfig, in apps.AppInput) (apps.AppResult, error) {
		mu.Lock()
		defer mu.Unlock()
		runs++
		cycles := 1000 * uint64(in.Keys[0]+1)
		return apps.AppResult{Kernels: []hwsim.KernelTime{{Cycles: cycles}}, Correct: true}, nil
	}
	jobs := on(imageHistograms()...)
	for i := range jobs {
		jobs[i].inputs = func(papers.Options) []input {
			return papers.List(3, func(i int) input {
				name := fmt.Sprint(i)
				return input{name: name, draw: func() (apps.AppInput, error) {
					mu.Lock()
					defer mu.Unlock()
					draws[name]++
					return apps.AppInput{Keys: []uint32{uint32(i), uint32(i)}, Bins: 3}, nil
				}}
			})
		}
	}
	all, err := c.measure(context.Background(), complete(t, papers.Options{Cores: 2}), jobs...)
	if err != nil {
		t.Fatal(err)
	}
	const forms, histograms = 2*3 + 1, 2 // of an image on a device, of which one serves all levels
	if want := 3 * histograms * forms; runs != want || len(draws) != 3 {
		t.Errorf("%d runs, want %d; drawn %v", runs, want, draws)
	}
	for name, n := range draws {
		if n != 1 {
			t.Errorf("image %s is drawn %d times", name, n)
		}
	}
	for _, m := range all {
		if us := m.times(formVR); us[1] != 2*us[0] || m.inputs[2].levels[0] != 1 {
			t.Errorf("%s on %s: %v us, levels %v", m.name, m.gpu, us, m.inputs[2].levels)
		}
	}
}

// TestRunNames: runs that may take another time have another name, and what is the same at all
// levels has one.
func TestRunNames(t *testing.T) {
	names := map[string]int{}
	for _, o := range []papers.Options{{Scale: 1}, {Scale: 0.5}, {Scale: 1, Seed: 1}} {
		for _, j := range on(benchmarks()...) {
			for _, in := range j.inputs(o) {
				for _, form := range j.forms {
					names[j.run(o, form, in)]++
				}
			}
		}
	}
	const histograms = 37 * (3*2 + 1)
	if want := 3 * 2 * (histograms + 18*4 + 10*3 + 8*2 + 8*4); len(names) != want {
		t.Errorf("%d names of runs, want %d", len(names), want)
	}
}

// levelled is a benchmark of three forms. Below a warp level of 0.5 the first is twice as fast as
// the second, above it half as fast; the last is slow.
func levelled() *measured {
	m := &measured{job: job{benchmark: benchmark{forms: []appForm{formAA, formSR, formOriginal}}}}
	for i := range 24 {
		level, us := 0.2+0.01*float64(i), []float64{10, 20, 30}
		if i%2 == 1 {
			level, us = level+0.5, []float64{20, 10, 30}
		}
		m.inputs = append(m.inputs, input{name: fmt.Sprint(i), levels: [3]float64{level, 1, 1}})
		m.us = append(m.us, us)
	}
	return m
}

// TestChoiceIsLeftOut: what is chosen for an input follows from the others. It stays
// whatever the input itself took, and so an input that is unlike its neighbours is missed.
func TestChoiceIsLeftOut(t *testing.T) {
	m := levelled()
	if err := m.choose(); err != nil {
		t.Fatal(err)
	}
	if off := m.offOptimal(); off != 0 {
		t.Fatalf("%v %% off optimal where the level decides", off)
	}
	want := slices.Clone(m.chosen)
	for i := range m.inputs {
		odd := levelled()
		odd.us[i] = []float64{10, 10, 10}
		odd.us[i][want[i]] = 10_000 // the form that is right for its level
		if err := odd.choose(); err != nil {
			t.Fatal(err)
		}
		if odd.chosen[i] != want[i] || odd.offOptimal() < 100*999/float64(len(m.inputs)) {
			t.Errorf("input %d took another time, and form %d instead of %d is chosen for it; "+
				"%v %% off optimal", i, odd.chosen[i], want[i], odd.offOptimal())
		}
		for f := range odd.forms {
			if x, _ := odd.without(i, f); len(x) != len(m.inputs)-1 {
				t.Errorf("%d of %d inputs are learned from without one", len(x), len(m.inputs))
			}
		}
	}
}

// TestInputTables: what the inputs are drawn from is what testdata/inputs.txt holds.
func TestInputTables(t *testing.T) {
	lines := []string{fmt.Sprint("sums ", compacted), fmt.Sprint("images shown ", shownImages)}
	for _, k := range keySets {
		lines = append(lines, fmt.Sprintf("keys %+v", k))
	}
	for _, l := range pageLogs {
		lines = append(lines, fmt.Sprintf("pages %+v", l))
	}
	for _, m := range matrices {
		lines = append(lines, fmt.Sprintf("matrix %+v", m))
	}
	golden.Compare(t, "testdata/inputs.txt", lines)
}
