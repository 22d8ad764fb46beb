package tuner

import (
	"fmt"
	"strconv"
	"strings"
)

// A Shard is the part of a sweep whose points leave the remainder Index when
// divided by Of. The zero Shard is the whole sweep.
type Shard struct {
	Index, Of int
}

// ParseShard reads "i/n" with i from 0 to n-1. Errors wrap ErrSweep.
func ParseShard(text string) (Shard, error) {
	index, of, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil {
		return Shard{}, fmt.Errorf("shard %q, want i/n such as 0/4: %w", text, ErrSweep)
	}
	s := Shard{Index: i, Of: n}
	if n < 1 {
		return Shard{}, fmt.Errorf("shard %q of %d parts: %w", text, n, ErrSweep)
	}
	return s, s.Validate()
}

// Validate returns an error that wraps ErrSweep unless 0 <= Index < Of, or
// both are 0.
func (s Shard) Validate() error {
	n := s.normal()
	if n.Of < 1 || n.Index < 0 || n.Index >= n.Of {
		return fmt.Errorf("shard %d/%d, want 0/%d to %d/%d: %w", s.Index, s.Of, n.Of, n.Of-1, n.Of, ErrSweep)
	}
	return nil
}

// Has reports whether point id belongs to the shard.
func (s Shard) Has(id int) bool { n := s.normal(); return id%n.Of == n.Index }

// String returns "i/n".
func (s Shard) String() string { n := s.normal(); return fmt.Sprintf("%d/%d", n.Index, n.Of) }

func (s Shard) normal() Shard {
	if s.Of == 0 && s.Index == 0 {
		s.Of = 1
	}
	return s
}
