package training

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/tuner/model"
)

// A Shard is one of Of parts of a sweep, to which its lines, or points where it has
// none, are dealt in turn, those of each kind by themselves: the long ones, the whole
// ones and the others, which differ in how long they take. No part gets two of a
// kind more than another. The zero Shard is the whole sweep.
type Shard struct {
	Index, Of int
}

// ParseShard reads "i/n" with i from 0 to n-1. Errors wrap ErrSweep.
func ParseShard(text string) (Shard, error) {
	index, of, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil {
		return Shard{}, fmt.Errorf("shard %q, want i/n such as 0/4: %w", text, model.ErrSweep)
	}
	s := Shard{Index: i, Of: n}
	if n < 1 {
		return Shard{}, fmt.Errorf("shard %q of %d parts: %w", text, n, model.ErrSweep)
	}
	return s, s.Validate()
}

// Validate returns an error that wraps ErrSweep unless 0 <= Index < Of, or
// both are 0.
func (s Shard) Validate() error {
	n := s.normal()
	if n.Of < 1 || n.Index < 0 || n.Index >= n.Of {
		return fmt.Errorf("shard %d/%d, want 0/%d to %d/%d: %w", s.Index, s.Of, n.Of, n.Of-1, n.Of, model.ErrSweep)
	}
	return nil
}

// Has reports whether a line, or a point of a sweep without lines, belongs to the
// shard.
func (s Shard) Has(number int) bool {
	n := s.normal()
	round, place := number/model.WholeEvery, number%model.WholeEvery
	const others = model.WholeEvery - model.WholeEvery/longEvery - 1 // in a round
	switch {
	case place == model.WholeEvery-1: // whole: from the middle on
		return (round+n.Of/2)%n.Of == n.Index
	case number%longEvery == longAt: // from the last part down
		return n.Of-1-number/longEvery%n.Of == n.Index
	}
	long := (place + longEvery - 1 - longAt) / longEvery // before it in the round
	return (round*others+place-long)%n.Of == n.Index
}

// checkShare returns an error that wraps ErrSweep where no line is the shard's.
func checkShare(s model.Sweep, part Shard) error {
	for number := range s.Lines() {
		if part.Has(number) {
			return nil
		}
	}
	return fmt.Errorf("shard %s has none of the %d points (%d lines): cut them into fewer parts: %w", part, s.Points, s.Lines(), model.ErrSweep)
}

// String returns "i/n".
func (s Shard) String() string { n := s.normal(); return fmt.Sprintf("%d/%d", n.Index, n.Of) }

func (s Shard) normal() Shard {
	if s.Of == 0 && s.Index == 0 {
		s.Of = 1
	}
	return s
}
