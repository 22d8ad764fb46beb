package synth

import (
	"fmt"
	"maps"
	"math"
)

// A Sweep is a parameter sweep over streams of one family, in which one quantity changes alone:
// the number of targets or of updates, or a parameter of the family.
type Sweep struct {
	Axis     string // "k", "n" or the parameter's name
	From, To Spec
}

// SampleSweep draws a sweep: of k in half of the cases, of n in a fifth, and otherwise of a
// parameter of the family that is not a flag, or of k if there is none. All else is drawn as
// by Sample. Errors are those of Sample.
func SampleSweep(r *Rand, g Ranges) (Sweep, error) {
	families, err := g.families()
	if err != nil {
		return Sweep{}, err
	}
	f, axis := one(r, families), "k"
	var quantities []string // parameters that are not flags
	for _, p := range f.Params {
		if !(p.Integer && p.High <= 1) && p.Name != "at" {
			quantities = append(quantities, p.Name)
		}
	}
	if u := r.Below(10); u >= 8 {
		axis = "n"
	} else if u >= 5 && len(quantities) > 0 {
		axis = one(r, quantities)
	}
	near, far := ends(r, 1, float64(g.KMax))
	short, long := ends(r, float64(g.NMin), float64(g.NMax))
	k, n := near, short
	if axis != "k" && r.Below(2) == 1 {
		k = far
	}
	if axis != "n" && r.Below(2) == 1 {
		n = long
	}
	g.NMin, g.NMax = int(n), int(n)
	r.Below(1) // the generator's state is that after drawing the family again
	from, err := sampleAt(r, g, f, uint32(k))
	if err != nil {
		return Sweep{}, err
	}
	l := Sweep{Axis: axis}
	low, high := from.value(axis), long
	switch p, ok := f.param(axis); {
	case axis == "k":
		low, high = near, far
	case ok:
		low, high = p.Low, p.limit(p.High, from.K)
	}
	if l.From, err = from.with(axis, low); err != nil {
		return Sweep{}, err
	}
	l.To, err = from.with(axis, high)
	return l, err
}

// ends draws two numbers from [low, high], the second at least 16 times the first where there are.
func ends(r *Rand, low, high float64) (a, b float64) {
	apart := min(16, max(1, high/low))
	a = logUniform(r, low, max(low, math.Floor(high/apart)), true)
	return a, logUniform(r, min(high, a*apart), high, true)
}

func (s Spec) value(axis string) float64 {
	switch axis {
	case "k":
		return float64(s.K)
	case "n":
		return float64(s.N)
	}
	return s.Params[axis]
}

// with returns a complete copy in which the quantity of an axis has another value.
func (s Spec) with(axis string, v float64) (Spec, error) {
	switch axis {
	case "k":
		s.K = uint32(v)
	case "n":
		s.N = int(v)
	default:
		s.Params = maps.Clone(s.Params)
		s.Params[axis] = v
	}
	return s.Complete()
}

// At returns the stream at a place of the sweep, 0 for From and 1 for To. The quantity grows by
// equal factors where Sample draws it log-uniformly, and otherwise by equal steps, rounded to a
// whole number or to three significant digits. The error wraps ErrRanges outside [0, 1].
func (l Sweep) At(place float64) (Spec, error) {
	if !(place >= 0 && place <= 1) {
		return Spec{}, fmt.Errorf("place %v on a sweep: want 0 to 1: %w", place, ErrRanges)
	}
	f, _ := family(l.From.Family)
	p, ok := f.param(l.Axis)
	if !ok {
		p = Param{Integer: true, Log: true}
	}
	low, high := l.From.value(l.Axis), l.To.value(l.Axis)
	v := low + float64(place*(high-low))
	if p.Log {
		v = float64(low * exponential(float64(place*logarithm(high/low))))
	}
	least, most := min(low, high), max(low, high)
	if !p.Integer {
		return l.From.with(l.Axis, shorten(v, least, most))
	}
	return l.From.with(l.Axis, max(least, min(math.Round(v), most)))
}
