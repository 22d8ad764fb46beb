package training

import (
	"cmp"
	"fmt"

	"github.com/atomtune/atomtune/tuner/model"
)

// A Shard is one of Of parts of a sweep. Its parameter sweeps are assigned round-robin within
// each class of costs (long, unscreened, others). The zero Shard is the whole sweep.
type Shard struct{ Index, Of int }

// ParseShard reads "i/n" with i from 0 to n-1. Errors wrap ErrSweep.
func ParseShard(text string) (Shard, error) {
	var s Shard
	if _, err := fmt.Sscanf(text, "%d/%d", &s.Index, &s.Of); err != nil || s.Of < 1 || s.String() != text {
		return Shard{}, fmt.Errorf("shard %q, want i/n such as 0/4: %w", text, model.ErrSweep)
	}
	return s, s.Validate()
}

// Validate returns an error that wraps ErrSweep unless 0 <= Index < Of, or both are 0.
func (s Shard) Validate() error {
	if n := s.parts(); s.Index < 0 || s.Index >= n {
		return fmt.Errorf("shard %d/%d, want 0/%d to %d/%d: %w", s.Index, s.Of, n, n-1, n,
			model.ErrSweep)
	}
	return nil
}

// Has reports whether a parameter sweep belongs to the shard.
func (s Shard) Has(number int) bool {
	of := s.parts()
	round, place := number/model.WholeEvery, number%model.WholeEvery
	const others = model.WholeEvery - model.WholeEvery/longEvery - 1 // in a round
	switch {
	case place == model.WholeEvery-1: // whole: from the middle on
		return (round+of/2)%of == s.Index
	case number%longEvery == longAt: // from the last part down
		return of-1-number/longEvery%of == s.Index
	}
	long := (place + longEvery - 1 - longAt) / longEvery // before it in the round
	return (round*others+place-long)%of == s.Index
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.parts()) }

func (s Shard) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s *Shard) UnmarshalText(text []byte) (err error) {
	*s, err = ParseShard(string(text))
	return err
}

func (s Shard) parts() int { return cmp.Or(s.Of, 1) }
