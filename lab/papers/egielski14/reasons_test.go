package egielski14

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/lab/papers"
)

// reasonScale is the scale of what reasons are shown by, where their size does not matter.
const reasonScale = 1.0 / 16

// heldRows returns whether the rows hold whose item contains the text.
func heldRows(rows []papers.Row, text string) (held, all int) {
	for _, r := range rows {
		if strings.Contains(r.Item, text) {
			all++
			if r.Holds {
				held++
			}
		}
	}
	return held, all
}

// TestFloatPassReason: with eight cycles per pass of Fermi's atomic unit naive
// atomics are as slow as in Figures 2 and 5.
func TestFloatPassReason(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in the full tests")
	}
	c := with(func(p *device.Profile) {
		a := p.GlobalAtomics["native"]
		a.Pass.Value *= 4
		p.GlobalAtomics["native"] = a
	})
	b := matrixProduct()
	b.forms = []appForm{formOriginal, formAA, formSRSS}
	m := c.some(t, reasonScale, b, fermi, func(in input) bool { return in.motivates })
	var f findings
	f.motivationRows([]measured{m})
	f.reductionRows(&m)
	for _, text := range []string{"naive atomics slow down", "big difference"} {
		if held, all := heldRows(f.Rows, text); held != 1 || all != 1 {
			t.Errorf("%s: %d of %d hold", text, held, all)
		}
	}
}

// TestCommonAddressReason: with a quarter of the rate of one address, private
// copies are the better place for VR on Kepler.
func TestCommonAddressReason(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in the full tests")
	}
	c := with(func(p *device.Profile) {
		a := p.GlobalAtomics["native"]
		a.SameAddress.Value *= 4
		p.GlobalAtomics["native"] = a
	})
	var levels []measured
	for _, b := range imageHistograms() {
		b.forms, b.compared = b.forms[1:], 0
		levels = append(levels, c.some(t, reasonScale, b, kepler, func(in input) bool {
			return in.represents && in.name != largeImage // which differs from another in size alone
		}))
	}
	var f findings
	f.cacheRows(levels)
	if held, all := heldRows(f.Rows, "faster in a private copy"); held != 1 || all != 1 {
		t.Errorf("%d of %d hold: %+v", held, all, f.Rows)
	}
}

// one simulates a form of a benchmark on the input of that name.
func (c *simulations) one(t *testing.T, scale float64, b benchmark, gpu string, f appForm,
	name string) float64 {
	t.Helper()
	o := complete(t, papers.Options{Scale: scale, Memo: papers.NewMemo(nil)})
	for _, in := range b.inputs(o) {
		if in.name == name {
			us, err := c.us(o, job{b, gpu}, f, in)
			if err != nil {
				t.Fatal(err)
			}
			return us
		}
	}
	t.Fatalf("no input %q", name)
	return 0
}

// banded is the product with one matrix, its columns within a distance of the diagonal.
func banded(name string, band int) benchmark {
	b := matrixProduct()
	b.inputs = func(o papers.Options) []input {
		i := slices.IndexFunc(matrices, func(m matrix) bool { return m.name == name })
		m := matrices[i]
		m.band = band
		return []input{{name: name, draw: func() (apps.AppInput, error) {
			return m.scaled(o).draw(synth.NewRand(o.Seed)), nil
		}}}
	}
	return b
}

// TestColumnsReason: with columns near the diagonal SR+SS gains as much over the original as the
// paper has, with columns anywhere it does not.
func TestColumnsReason(t *testing.T) {
	const name = "scircuit"
	for band, want := range map[int]bool{1000: true, 0: false} {
		c, b := newSimulations(), banded(name, band)
		original := c.one(t, 1, b, kepler, formOriginal, name)
		gain := original / c.one(t, 1, b, kepler, formSRSS, name)
		if papers.Average.Met(gain, 1+statedGain/100) != want {
			t.Errorf("columns within %d of the diagonal: SR+SS is %.2f times as fast", band, gain)
		}
	}
}

// TestRowEndsReason: on Fermi SR+SS takes as long per element of cop20k_A as of dense2, the
// original a quarter longer at least.
func TestRowEndsReason(t *testing.T) {
	perElement := func(name string, f appForm) float64 {
		m := matrices[slices.IndexFunc(matrices, func(m matrix) bool { return m.name == name })]
		us := newSimulations().one(t, 1.0/4, banded(name, 600), fermi, f, name)
		return us / float64(m.elements)
	}
	for _, c := range []struct {
		form        appForm
		least, most float64
	}{{formSRSS, 0.9, 1.1}, {formOriginal, 1.25, 2}} {
		ratio := perElement("cop20k_A", c.form) / perElement("dense2", c.form)
		if ratio < c.least || ratio > c.most {
			t.Errorf("%s: an element of cop20k_A takes %.2f times as long as one of dense2", c.form.name,
				ratio)
		}
	}
}

// TestAddressReason: with a quarter of the rate of one address a no-private histogram of two grey
// levels is slower than the one without atomics on Kepler, as in Table 1; else it is faster.
func TestAddressReason(t *testing.T) {
	for factor, want := range map[float64]bool{1: false, 4: true} {
		c := with(func(p *device.Profile) {
			a := p.GlobalAtomics["native"]
			a.SameAddress.Value *= factor
			p.GlobalAtomics["native"] = a
		})
		us := func(f appForm) float64 {
			return c.one(t, reasonScale, imageHistograms()[2], kepler, f, "random 2")
		}
		private, atomic := us(formPrivate), min(us(formAA), us(formVR))
		if (private < atomic) != want {
			t.Errorf("%v times as long per update: %.1f us without atomics, %.1f us with them", factor,
				private, atomic)
		}
	}
}

// TestRepeatsReason: dropping repeated page views gains more on a longer log.
func TestRepeatsReason(t *testing.T) {
	c, b := newSimulations(), pageViews()
	gain := func(scale float64) float64 {
		const log = "reloads 16"
		return c.one(t, scale, b, fermi, formOriginal, log) / c.one(t, scale, b, fermi, formAA, log)
	}
	if short, long := gain(1.0/32), gain(1.0/16); long < 1.1*short {
		t.Errorf("%.2f and %.2f times as fast", short, long)
	}
}

// TestSummationReason: all but a little of the original's time is its first
// launch.
func TestSummationReason(t *testing.T) {
	for _, gpu := range bothDevices {
		d, err := device.Builtin(gpu)
		if err != nil {
			t.Fatal(err)
		}
		in, err := sums(papers.Options{Scale: 1.0 / 128})[0].draw()
		if err != nil {
			t.Fatal(err)
		}
		r, err := apps.RunApplication(apps.AppConfig{Device: d, Application: apps.Summation,
			Type: device.F32, Original: true}, in)
		if err != nil {
			t.Fatal(err)
		}
		rest := kernelTime(r, d) - float64(r.Kernels[0].Cycles)/d.Core.Clock.Value
		if len(r.Kernels) < 2 || rest > 1.5 {
			t.Errorf("%s: %v", gpu, r.Kernels)
		}
	}
}

// TestHistogramReasons: the thread-private form takes the same time for all
// images and longer than naive atomics for a random one, the tagged form is
// faster than naive atomics for one that collides, and the smaller images fill
// both devices.
func TestHistogramReasons(t *testing.T) {
	for _, gpu := range bothDevices {
		c, b := newSimulations(), imageHistograms()[0]
		us := func(name string, f appForm) float64 { return c.one(t, reasonScale, b, gpu, f, name) }
		random, heavy := us("random 256", formPrivate), us("background 0.9", formPrivate)
		if !papers.Within(random, heavy, 1.01) || random < 4*us("random 256", formAA) {
			t.Errorf("%s: thread-private takes %.1f and %.1f us", gpu, random, heavy)
		}
		if tagged, naive := us("background 0.9", formOriginal),
			us("background 0.9", formAA); tagged > naive/2 {
			t.Errorf("%s: tagged takes %.1f us, naive %.1f us", gpu, tagged, naive)
		}
		d, err := device.Builtin(gpu)
		if err != nil {
			t.Fatal(err)
		}
		if threads := d.Core.SMs.Value * d.Core.MaxWarps.Value *
			d.Core.WarpLanes.Value; threads > pixels {
			t.Errorf("%s runs %v threads at once", gpu, threads)
		}
	}
}

// TestShortRowsReason: for the three matrices of short rows SR takes as long as
// naive atomics on Kepler, within a tenth.
func TestShortRowsReason(t *testing.T) {
	b := matrixProduct()
	b.forms, b.compared = []appForm{formAA, formSR}, 0
	m := newSimulations().some(t, reasonScale, b, kepler, named(improved))
	e := extentOf(m.speedups(formSR, formAA))
	if len(m.inputs) != 3 || e.least < 0.9 || e.most > 1.1 {
		t.Errorf("%d matrices, %+v", len(m.inputs), e)
	}
}

// TestCancelled: nothing is simulated once the context has ended.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o := papers.Options{Memo: papers.NewMemo(nil)}
	for _, e := range newSimulations().experiments().Experiments {
		if _, err := e.Run(ctx, o); err == nil || len(o.Memo.Times()) > 0 {
			t.Errorf("%s: %v, %d times", e.Name, err, len(o.Memo.Times()))
		}
	}
}
