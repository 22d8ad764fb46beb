package egielski14

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
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
