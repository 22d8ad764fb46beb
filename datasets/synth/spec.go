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
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// The sentinels that this package's errors wrap.
var (
	// ErrSyntax reports a string that is no list of key=value after a family.
	ErrSyntax = errors.New("bad stream syntax")
	// ErrFamily reports an unknown family, or a mixture without fitting parts.
	ErrFamily = errors.New("bad stream family")
	// ErrParam reports a parameter that is unknown, repeated or out of range.
	ErrParam = errors.New("bad stream parameter")
	// ErrLength reports a buffer that is not as long as the stream.
	ErrLength = errors.New("bad buffer length")
)

// MaxUpdates is the largest number of updates in a stream.
const MaxUpdates = 1<<31 - 1

// maxParts bounds the parts of a mixture.
const maxParts = 16

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

// Complete returns s with every parameter given, or an error that wraps ErrFamily or ErrParam.
// Defaults that exceed what K allows are lowered to it. It does not modify s. A complete Spec is
// what Parse returns and String prints.
func (s Spec) Complete() (Spec, error) {
	f, ok := family(s.Family)
	if !ok {
		return Spec{}, fmt.Errorf("family %q: %w", s.Family, ErrFamily)
	}
	if s.N < 1 || s.N > MaxUpdates {
		return Spec{}, fmt.Errorf("n=%d: want 1 to %d: %w", s.N, MaxUpdates, ErrParam)
	}
	if s.K < 1 {
		return Spec{}, fmt.Errorf("k=%d: want 1 to %d: %w", s.K, uint32(maxTargets), ErrParam)
	}
	var err error
	if s.Params, err = f.complete(s.Params, s.K); err != nil {
		return Spec{}, err
	}
	if s.Parts, err = completeParts(s); err != nil {
		return Spec{}, err
	}
	return s, nil
}

// Validate returns the error of Complete.
func (s Spec) Validate() error {
	_, err := s.Complete()
	return err
}

// complete checks the given parameters and adds the missing ones.
func (f Family) complete(given map[string]float64, k uint32) (map[string]float64, error) {
	all := make(map[string]float64, len(f.Params))
	for _, p := range f.Params {
		v, ok := given[p.Name]
		if !ok {
			v = p.limit(p.Default, k)
		}
		if err := p.check(v, k); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
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

func (p Param) check(v float64, k uint32) error {
	high := p.limit(p.Max, k)
	if math.IsNaN(v) || v < p.Min || v > high {
		return fmt.Errorf("%s=%v: want %v to %v: %w", p.Name, v, p.Min, high, ErrParam)
	}
	if p.Integer && v != math.Floor(v) {
		return fmt.Errorf("%s=%v: want an integer: %w", p.Name, v, ErrParam)
	}
	return nil
}

func completeParts(s Spec) ([]Part, error) {
	if s.Family != mixtureName {
		if s.Parts != nil {
			return nil, fmt.Errorf("%s has no parts: %w", s.Family, ErrFamily)
		}
		return nil, nil
	}
	if len(s.Parts) < 2 || len(s.Parts) > maxParts {
		return nil, fmt.Errorf("mixture of %d: want 2 to %d parts: %w", len(s.Parts), maxParts,
			ErrFamily)
	}
	parts := slices.Clone(s.Parts)
	for i := range parts {
		p := &parts[i]
		f, ok := family(p.Family)
		if !ok || p.Family == mixtureName {
			return nil, fmt.Errorf("mixture of %q: %w", p.Family, ErrFamily)
		}
		if p.Share == 0 {
			p.Share = 1
		}
		if err := checkShare(*p); err != nil {
			return nil, err
		}
		var err error
		if p.Params, err = f.complete(p.Params, s.K); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

func checkShare(p Part) error {
	if p.Share >= 1e-6 && p.Share <= 1e6 {
		return nil
	}
	return fmt.Errorf("mixture of %s: share=%v: want 1e-6 to 1e6: %w", p.Family, p.Share, ErrParam)
}

// Generate returns the targets of the stream's updates, in order.
func Generate(s Spec) ([]uint32, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	dst := make([]uint32, s.N)
	return dst, Fill(dst, s)
}

// Fill writes the targets of the stream's updates into dst, whose length must be N. It takes O(n)
// time, sorted streams O(n log n); mixtures also take O(n) space. Besides the errors of Complete,
// one that wraps ErrLength says that dst has another length.
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
