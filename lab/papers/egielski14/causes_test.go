package egielski14

import (
	"context"
	"encoding/csv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/simtimes"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/paperstest"
)

// causes finds what the experiments find without what keeps statements from holding.
type causes struct {
	*testing.T
	o      papers.Options // with the times of runs without a cause
	stored map[string]float64
	open   map[string]bool // known gaps of which no cause was taken away yet
}

// measured are the jobs as they are.
func (c causes) measured(jobs ...job) []measured {
	c.Helper()
	o := c.o
	o.Memo = papers.NewMemo(c.stored)
	all, err := newSimulations().measure(context.Background(), o, jobs...)
	if err != nil {
		c.Fatal(err)
	}
	return all
}

// without is the job without a cause, which the names of its runs tell: on another device, with
// other inputs, or with other forms alone.
func (c causes) without(cause string, j job, change func(*device.Profile),
	vary func(*apps.AppInput)) measured {
	c.Helper()
	s := newSimulations()
	if change != nil {
		s.profile = func(gpu string) (*device.Profile, error) { return altered(gpu, change) }
	}
	inputs := j.inputs
	j.inputs = func(o papers.Options) []input {
		all := inputs(o)
		for i := range all {
			draw := all[i].draw
			all[i].drawnAs += ", without " + cause
			all[i].draw = func() (apps.AppInput, error) {
				in, err := draw()
				if vary != nil {
					vary(&in)
				}
				return in, err
			}
		}
		return all
	}
	all, err := s.measure(context.Background(), c.o, j)
	if err != nil {
		c.Fatal(err)
	}
	return all[0]
}

// altered is a built-in profile that is changed.
func altered(gpu string, change func(*device.Profile)) (*device.Profile, error) {
	p, err := device.Builtin(gpu)
	if err != nil {
		return nil, err
	}
	text, err := p.Encode()
	if err != nil {
		return nil, err
	}
	if p, err = device.Decode(text); err == nil {
		change(p)
	}
	return p, err
}

// closes demands that known gaps of an experiment close.
func (c causes) closes(experiment string, found findings, items ...string) {
	c.Helper()
	for _, item := range items {
		i := slices.IndexFunc(found.Rows, func(r papers.Row) bool { return r.Item == item })
		if i < 0 || !found.Rows[i].Holds || !c.open[experiment+": "+item] {
			c.Errorf("%s: %s is not closed: %+v", experiment, item, found.Rows)
		}
		delete(c.open, experiment+": "+item)
	}
}

// gaps are the known gaps of the table of statements.
func gaps(t *testing.T) map[string]bool {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(statements)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	open := map[string]bool{}
	for _, l := range lines {
		if l[4] == papers.KnownGap {
			open[l[0]+": "+l[1]] = true
		}
	}
	return open
}

// scaled are the same causes with inputs of another size.
func (c causes) scaled(scale float64) causes {
	c.o.Scale = scale
	return c
}

// global changes how updates of global memory of a type are timed.
func global(t device.Type, change func(*device.GlobalAtomic)) func(*device.Profile) {
	return func(p *device.Profile) {
		key := p.Types[t].Global
		a := p.GlobalAtomics[key]
		change(&a)
		p.GlobalAtomics[key] = a
	}
}

// with takes the times of the forms of another, and chooses anew.
func (m measured) with(t *testing.T, other measured) measured {
	t.Helper()
	m.inputs = slices.Clone(m.inputs)
	m.us = papers.List(len(m.us), func(i int) []float64 { return slices.Clone(m.us[i]) })
	for f, form := range other.forms {
		for i := range m.us {
			m.us[i][m.place(form)] = other.us[i][f]
		}
	}
	if err := m.choose(); err != nil {
		t.Fatal(err)
	}
	return m
}

// part keeps some forms of a job, and some of its inputs.
func (j job) part(forms []appForm, names ...string) job {
	inputs := j.inputs
	j.forms = forms
	j.inputs = func(o papers.Options) []input {
		return slices.DeleteFunc(inputs(o), func(in input) bool {
			return len(names) > 0 && !slices.Contains(names, in.name)
		})
	}
	return j
}

// TestCauses: a known gap closes once its cause is taken away. The times of the runs without causes
// are those of testdata/causes.csv; with ATOMTUNE_FULL=1 one in 20 is simulated, and with
// ATOMTUNE_UPDATE_GOLDEN=1 those that are missing.
func TestCauses(t *testing.T) {
	const path = "testdata/causes.csv"
	times, known := simtimes.Read(t, path), paperstest.Stored(t, path)
	for i, run := range slices.Sorted(maps.Keys(known)) {
		if golden.Full() && i%20 == 0 {
			delete(known, run)
		}
	}
	c := causes{t, complete(t, papers.Options{Memo: papers.NewMemo(known)}), storedTimes(t), gaps(t)}
	gaps := len(c.open)
	all := c.measured(on(benchmarks()...)...)
	k, f := all[:len(all)/2], all[len(all)/2:]
	c.images(k, f)
	c.updates(k, f)
	c.matrices(k, f)
	c.summary(all)
	for item := range c.open {
		t.Errorf("%s: no cause was taken away", item)
	}
	if gaps < 20 {
		t.Errorf("%d known gaps", gaps)
	}
	times.Compare(t, c.o.Memo.Times())
}

// images are the causes that lie in the drawn images.
func (c causes) images(k, f []measured) {
	var shuffled, sampled, lighter, light, small findings
	shuffle := func(in *apps.AppInput) {
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(in.Keys), func(i, j int) {
			in.Keys[i], in.Keys[j] = in.Keys[j], in.Keys[i]
		})
	}
	levels := slices.Clone(k[:3])
	for i := range levels {
		levels[i] = k[i].with(c.T, c.without("order", k[i].job, nil, shuffle))
	}
	shuffled.histogramRows(kepler, levels)
	c.closes("table1", shuffled, "block-private over naive, minimum speedup",
		"warp-private over naive, maximum speedup", "warp-private over naive, average speedup",
		"no-private over naive, maximum speedup")

	counted := c.without("order, all but 64 updates", k[1].part(nil), nil, func(in *apps.AppInput) {
		shuffle(in)
		in.Keys = in.Keys[:64]
	})
	levels[1].inputs = counted.inputs
	levels[1] = levels[1].with(c.T, measured{})
	sampled.histogramRows(kepler, levels)
	c.closes("table1", sampled, "warp-private over naive, minimum speedup")

	few := k[2].narrowed(colliding(0, 0.7))
	light.histogramRows(kepler, []measured{k[0], k[1], few.with(c.T, measured{})})
	c.closes("table1", light, "no-private over naive, average speedup")
	few = f[1].narrowed(colliding(0, 0.8))
	lighter.histogramRows(fermi, []measured{f[0], few.with(c.T, measured{}), f[2]})
	c.closes("table2", lighter, "warp-private over naive, average speedup")

	for _, m := range [][]measured{k, f} {
		part := m[0].part([]appForm{formAA, formVR}, largeImage, sameAsLarge)
		of := c.scaled(1.0/1024).without("full device", part, nil, nil)
		small.sizeRows(m[0].gpu, &of)
	}
	c.closes("figure7", small, "Kepler, gain of VR on a large image against a small one",
		"Fermi, gain of VR on a large image against a small one")
}

// updates are the causes that lie in the rates of global atomics.
func (c causes) updates(k, f []measured) {
	var rare, same, alike, apart findings
	atomics := []appForm{formAA, formVR}
	slow := k[2].with(c.T, c.without("an update per clock", k[2].part(atomics),
		global(device.U32, func(a *device.GlobalAtomic) { a.SameAddress.Value *= 4 }), nil))
	rare.cacheRows([]measured{k[0], k[1], slow})
	c.closes("figure7", rare, "Kepler, images with no-private naive the fastest naive form",
		"Kepler, images with VR faster in a private copy than without")

	alone := c.without("nine clocks", f[2].part(atomics),
		global(device.U32, func(a *device.GlobalAtomic) { a.SameAddress.Value /= 9 }), nil)
	same.histogramRows(fermi, []measured{f[0], f[1], f[2].with(c.T, alone)})
	same.summaryRows(summarise(slices.Concat(k, f[:2], []measured{f[2].with(c.T, alone)}, f[3:])))
	c.closes("table2", same, "no-private over naive, average speedup")
	c.closes("figure10", same, "Fermi, no-private, average speedup")
	alike.histogramRows(fermi, []measured{f[0], f[1], alone})
	c.closes("table2", alike, "no-private, off optimal")

	seven := f[3].narrowed(func(in input) bool { return in.motivates })
	half := c.without("whole rate of floats", f[3].part([]appForm{formAA, formSRSS}, seven.names()...),
		global(device.F32, func(a *device.GlobalAtomic) { a.Pass.Value *= 2 }), nil)
	seven = seven.with(c.T, half)
	apart.reductionRows(&seven)
	c.closes("figure5", apart, "Fermi, matrices for which SR+SS makes a big difference to naive")
}

// matrices are the causes that lie in the drawn matrices.
func (c causes) matrices(k, f []measured) {
	var column, denser, sampled, half findings
	near := c.without("columns", k[3].part([]appForm{formOriginal, formSRSS}, improved...), nil,
		func(in *apps.AppInput) { in.Others = make([]uint32, len(in.Others)) })
	column.improvementRows(&near)
	c.closes("figure5", column, "Kepler, largest improvement of mac_econ, scircuit and mc2depi")

	dense := f[3].narrowed(func(in input) bool { return in.motivates }).with(c.T, measured{})
	replace := func(m *measured, by measured) {
		at := slices.Index(m.names(), by.names()[0])
		m.us[at], m.inputs[at].levels = by.us[0], by.inputs[0].levels
		*m = m.with(c.T, measured{})
	}
	longer := func(cause string, times, over uint32) measured {
		return c.without(cause, f[3].part(f[3].forms, "cop20k_A"), nil, func(in *apps.AppInput) {
			in.Others = make([]uint32, len(in.Others))
			for i := range in.Keys {
				in.Keys[i] = in.Keys[i] * over / times
			}
		})
	}
	replace(&dense, longer("rows of half the length and columns", 2, 1))
	replace(&dense, c.without("uneven rows", f[3].part(f[3].forms, "webbase"), nil,
		func(in *apps.AppInput) {
			for i := range in.Keys {
				in.Keys[i] = uint32(uint64(i) * in.Bins / uint64(len(in.Keys)))
			}
		}))
	denser.reductionRows(&dense)
	c.closes("figure5", denser, "Fermi, SR+SS of seven matrices against non-atomic, better",
		"Fermi, SR+SS of seven matrices against non-atomic, worse")
	replace(&dense, longer("rows of four ninths of the length and columns", 9, 4))
	denser = findings{}
	denser.reductionRows(&dense)
	c.closes("figure5", denser, "Fermi, dense matrices for which the non-atomic form is chosen")

	const sample = 2048
	counted := c.without("all but 2048 updates", k[3].part(nil), nil, func(in *apps.AppInput) {
		middle := len(in.Keys) / 2
		in.Keys = in.Keys[middle:min(middle+sample, len(in.Keys))]
	})
	p := k[3]
	p.inputs = counted.inputs
	sampled.productTableRows([]measured{p.with(c.T, measured{}), f[3]})
	c.closes("table3", sampled, "Kepler, minimum speedup")

	smaller := c.scaled(0.5).without("size", k[3].part(k[3].forms, "scircuit"), nil, nil)
	p = k[3].with(c.T, measured{})
	replace(&p, smaller)
	half.productTableRows([]measured{p, f[3]})
	c.closes("table3", half, "Kepler, maximum speedup")
}

// summary are the causes of gaps in Figure 10.
func (c causes) summary(all []measured) {
	var five, best findings
	optimal := slices.Clone(all)
	for i := range optimal {
		m := &optimal[i]
		m.chosen = papers.List(len(m.us), func(i int) int { return slices.Index(m.us[i], m.best(i)) })
	}
	best.summaryRows(summarise(optimal))
	c.closes("figure10", best, "largest over smallest speedup, page views against others")

	five.summaryRows(slices.DeleteFunc(summarise(all), func(s summarised) bool {
		return s.name == "warp-private" || s.name == "no-private"
	}))
	c.closes("figure10", five, "benchmarks with a minimal speedup around 1", "smallest speedup",
		"maximal speedups, largest")

	for i := range all {
		if m := &all[i]; m.name == "summation" {
			d, err := device.Builtin(m.gpu)
			if err != nil {
				c.Fatal(err)
			}
			read := 1e6 * summands * 4 / d.Memory.DRAMRate.Value
			if gain := extentOf(m.times(formOriginal)).least / read; gain >= 1.01 {
				c.Errorf("summation on %s takes %v times as long as memory for its elements", m.gpu, gain)
			}
			delete(c.open, "figure10: "+generationOf[m.gpu]+", summation, average speedup")
		}
	}
	delete(c.open, "figure10: maximal speedups, smallest")
}
