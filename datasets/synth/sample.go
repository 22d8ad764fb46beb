package synth

import (
	"fmt"
	"math"
	"strconv"
)

// Ranges bound what Sample draws, both ends included.
type Ranges struct {
	NMin, NMax int
	KMax       uint32   // targets are drawn from 1 to KMax
	Families   []string // nil means all
}

// families lists the families to draw from. An error wraps ErrRanges, or ErrFamily for an unknown name.
func (g Ranges) families() ([]Family, error) {
	if g.NMin < 1 || g.NMax < g.NMin || g.NMax > MaxUpdates {
		return nil, fmt.Errorf("n from %d to %d: want 1 <= nmin <= nmax <= %d: %w", g.NMin, g.NMax,
			MaxUpdates, ErrRanges)
	}
	if g.KMax < 1 {
		return nil, fmt.Errorf("k up to %d: want at least 1: %w", g.KMax, ErrRanges)
	}
	if g.Families == nil {
		return Families(), nil
	}
	var list []Family
	for _, name := range g.Families {
		f, ok := family(name)
		if !ok {
			return nil, fmt.Errorf("family %q: %w", name, ErrFamily)
		}
		list = append(list, f)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no families: %w", ErrRanges)
	}
	return list, nil
}

// Sample draws a stream: the family uniformly, n, k and each length-like parameter log-uniformly,
// shares uniformly, to three significant digits. The result is complete, and so is any of its
// like from the same state of r, on every platform.
func Sample(r *Rand, g Ranges) (Spec, error) {
	from, err := g.families()
	if err != nil {
		return Spec{}, err
	}
	return sampleAt(r, g, one(r, from), 0)
}

func one[T any](r *Rand, of []T) T { return of[r.Below(uint64(len(of)))] }

// sampleAt is Sample of one family, with so many targets unless k is 0.
func sampleAt(r *Rand, g Ranges, f Family, k uint32) (Spec, error) {
	s := Spec{Family: f.Name, N: int(logUniform(r, float64(g.NMin), float64(g.NMax), true)), K: k}
	if k == 0 {
		s.K = uint32(logUniform(r, 1, float64(g.KMax), true))
	}
	s.Seed, s.Params = r.Uint64(), f.sample(r, s.K)
	if f.Name == mixtureName { // of two or three parts of other families
		s.Parts = make([]Part, 2+r.Below(2))
		all := Families()
		for i := range s.Parts {
			part := one(r, all)
			for part.Name == mixtureName {
				part = one(r, all)
			}
			s.Parts[i] = Part{Family: part.Name, Params: part.sample(r, s.K),
				Share: logUniform(r, 0.1, 10, false)}
		}
	}
	return s.Complete()
}

func (f Family) sample(r *Rand, k uint32) map[string]float64 {
	params := make(map[string]float64, len(f.Params))
	for _, p := range f.Params {
		high := p.limit(p.High, k)
		switch {
		case p.Log:
			params[p.Name] = logUniform(r, p.Low, high, p.Integer)
		case p.Integer:
			params[p.Name] = p.Low + float64(r.Below(uint64(high-p.Low)+1))
		default:
			params[p.Name] = shorten(p.Low+float64(r.Float64()*(high-p.Low)), p.Low, high)
		}
	}
	return params
}

// logUniform draws from [low, high] so that each factor of two is as likely as
// the next. An integer in it stands for the interval up to its successor.
func logUniform(r *Rand, low, high float64, integer bool) float64 {
	if !integer {
		v := float64(low * exponential(float64(r.Float64()*logarithm(high/low))))
		return shorten(v, low, high)
	}
	v := math.Floor(float64(low * exponential(float64(r.Float64()*logarithm((high+1)/low)))))
	return max(low, min(v, high))
}

// shorten rounds to three significant digits within [low, high].
func shorten(v, low, high float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64) // what it has formatted
	return max(low, min(short, high))
}
