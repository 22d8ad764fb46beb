// Package synth makes index streams: sequences of targets in [0, k), one per update, whose
// collisions are known by construction. A Spec names the family of a stream, its length, its
// number of targets, its seed and the family's parameters, and prints as one lower-case word:
//
//	zipf:n=65536,k=1024,seed=1,s=1.1,shuffle=1
//
// The same Spec gives the same targets on every platform and in every release of Go: the random
// numbers are the package's own, floating point uses only the operations that IEEE 754 rounds
// exactly, and no product is left for a compiler to fuse with a sum.
//
// References:
//
//	[westphal15] E. Westphal. Voting and Shuffling to Optimize Atomic
//	             Operations. NVIDIA developer blog, 2015.
//	[hormann96]  W. Hörmann, G. Derflinger. Rejection-Inversion to Generate
//	             Variates from Monotone Discrete Distributions. ACM TOMACS
//	             6(3), 1996.
//	[steele14]   G. Steele, D. Lea, C. Flood. Fast Splittable Pseudorandom
//	             Number Generators. OOPSLA 2014.
//	[lemire19]   D. Lemire. Fast Random Integer Generation in an Interval. ACM
//	             TOMACS 29(1), 2019.
package synth

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

var (
	ErrSyntax = errors.New("bad stream syntax")    // no list of key=value after a family
	ErrFamily = errors.New("bad stream family")    // unknown, or a mixture without fitting parts
	ErrParam  = errors.New("bad stream parameter") // unknown, repeated or out of range
	ErrLength = errors.New("bad buffer length")    // other than the stream's
	ErrRanges = errors.New("bad sampling ranges")  // that hold no stream
)

// MaxUpdates is the largest number of updates in a stream.
const MaxUpdates = 1<<31 - 1

const maxParts = 16 // of a mixture

// A Spec describes one stream.
type Spec struct {
	Family string
	N      int    // updates, 1 to MaxUpdates
	K      uint32 // targets, at least 1
	Seed   uint64
	Params map[string]float64 // of the family; those not given have their default
	Parts  []Part             // of a mixture, 2 to 16; otherwise nil
}

// A Part is one of the streams of a mixture. It has the mixture's targets.
type Part struct {
	Family string
	Params map[string]float64
	Share  float64 // of the updates, relative to the other parts; 0 means 1
}

// Complete returns s with every parameter given, as Parse returns and String prints it, or an
// error that wraps ErrFamily or ErrParam. Defaults that exceed what K allows are lowered to it.
func (s Spec) Complete() (Spec, error) {
	f, ok := family(s.Family)
	var err error
	switch n := len(s.Parts); {
	case !ok:
		err = fmt.Errorf("family %q: %w", s.Family, ErrFamily)
	case s.N < 1 || s.N > MaxUpdates:
		err = fmt.Errorf("n=%d: want 1 to %d: %w", s.N, MaxUpdates, ErrParam)
	case s.K < 1:
		err = fmt.Errorf("k=%d: want 1 to %d: %w", s.K, uint32(maxTargets), ErrParam)
	default:
		s.Params, err = f.complete(s.Params, s.K)
		switch {
		case err != nil:
		case s.Family != mixtureName && s.Parts != nil:
			err = fmt.Errorf("%s has no parts: %w", s.Family, ErrFamily)
		case s.Family == mixtureName && (n < 2 || n > maxParts):
			err = fmt.Errorf("mixture of %d: want 2 to %d parts: %w", n, maxParts, ErrFamily)
		}
	}
	s.Parts = slices.Clone(s.Parts)
	for i := range s.Parts {
		if err == nil {
			err = s.Parts[i].complete(s.K)
		}
	}
	if err != nil {
		return Spec{}, err
	}
	return s, nil
}

func (f Family) complete(given map[string]float64, k uint32) (map[string]float64, error) {
	all := make(map[string]float64, len(f.Params))
	for _, p := range f.Params {
		v, ok := given[p.Name]
		high := p.limit(p.Max, k)
		if !ok {
			v = p.limit(p.Default, k)
		}
		if math.IsNaN(v) || v < p.Min || v > high {
			return nil, fmt.Errorf("%s: %s=%v: want %v to %v: %w", f.Name, p.Name, v, p.Min, high,
				ErrParam)
		}
		if p.Integer && v != math.Floor(v) {
			return nil, fmt.Errorf("%s: %s=%v: want an integer: %w", f.Name, p.Name, v, ErrParam)
		}
		all[p.Name] = v + 0 // no negative zero
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := all[name]; !ok {
			return nil, fmt.Errorf("%s has no parameter %q: %w", f.Name, name, ErrParam)
		}
	}
	return all, nil
}

func (p *Part) complete(k uint32) (err error) {
	f, ok := family(p.Family)
	if !ok || p.Family == mixtureName {
		return fmt.Errorf("mixture of %q: %w", p.Family, ErrFamily)
	}
	p.Share = cmp.Or(p.Share, 1)
	if err := p.checkShare(); err != nil {
		return err
	}
	p.Params, err = f.complete(p.Params, k)
	return err
}

func (p *Part) checkShare() error {
	if p.Share >= 1e-6 && p.Share <= 1e6 {
		return nil
	}
	return fmt.Errorf("mixture of %s: share=%v: want 1e-6 to 1e6: %w", p.Family, p.Share, ErrParam)
}

// Generate returns the targets of the stream's updates, in order.
func Generate(s Spec) ([]uint32, error) {
	if _, err := s.Complete(); err != nil {
		return nil, err
	}
	dst := make([]uint32, s.N)
	return dst, Fill(dst, s)
}

// Fill writes the targets of the stream's updates into dst, whose length must be N: an error of
// another length wraps ErrLength. It takes O(n) time, sorted streams O(n log n).
func Fill(dst []uint32, s Spec) error {
	s, err := s.Complete()
	if err != nil {
		return err
	}
	if len(dst) != s.N {
		return fmt.Errorf("buffer of %d for a stream of %d: %w", len(dst), s.N, ErrLength)
	}
	f, _ := family(s.Family)
	f.generate(dst, s, NewRand(s.Seed))
	return nil
}
