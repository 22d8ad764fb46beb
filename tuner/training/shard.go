package training

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/tuner/model"
)

// A Shard is one of Of parts of a sweep. Its parameter sweeps are assigned round-robin
// within each kind (long, unscreened, others), which differ in cost. The zero Shard is the
// whole sweep.
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
		return fmt.Errorf("shard %d/%d, want 0/%d to %d/%d: %w", s.Index, s.Of, n.Of, n.Of-1, n.Of,
			model.ErrSweep)
	}
	return nil
}

// Has reports whether a parameter sweep belongs to the shard.
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

// checkShare returns an error that wraps ErrSweep for an empty shard.
func checkShare(s model.Sweep, part Shard) error {
	for number := range s.Lines() {
		if part.Has(number) {
			return nil
		}
	}
	return fmt.Errorf("shard %s has none of the %d points (%d lines): cut them into fewer parts: %w",
		part, s.Points, s.Lines(), model.ErrSweep)
}

// String returns "i/n".
func (s Shard) String() string { n := s.normal(); return fmt.Sprintf("%d/%d", n.Index, n.Of) }

func (s Shard) normal() Shard {
	if s.Of == 0 && s.Index == 0 {
		s.Of = 1
	}
	return s
}

// Merge reads the journals of all shards of a sweep and returns its header and rows by
// point. The error wraps ErrJournal for different sweeps or numbers of shards, and
// model.ErrRows, naming points, where one stands in two places or in none.
func Merge(paths ...string) (Header, []Row, error) {
	head, rows, err := merge(paths)
	if err != nil {
		return Header{}, nil, fmt.Errorf("merge: %w", err)
	}
	return head, rows, nil
}

func merge(paths []string) (head Header, rows []Row, err error) {
	if len(paths) == 0 {
		return head, nil, fmt.Errorf("%w: no journal given", ErrJournal)
	}
	place := map[int]string{}
	for i, path := range paths {
		j, err := ReadJournal(path)
		if err != nil {
			return head, nil, err
		}
		if j.Header == (Header{}) {
			return head, nil, fmt.Errorf("%s: %w: it is empty", path, ErrJournal)
		}
		if i == 0 {
			head = j.Header
		} else if d := j.Header.differs(head); d != "" {
			return head, nil, fmt.Errorf("%s:1: %w: it belongs to another sweep than %s: %s", path,
				ErrJournal, paths[0], d)
		} else if a, b := j.Header.parts(), head.parts(); a != b {
			return head, nil, fmt.Errorf("%s:1: %w: it is part %s and %s part %s: the sweep was cut "+
				"into %d parts and into %d", path, ErrJournal, j.Header.Shard, paths[0], head.Shard, a, b)
		}
		for _, r := range j.Rows {
			if first, ok := place[r.Point]; ok {
				return head, nil, fmt.Errorf("%w: point %d stands in %s and again in %s", model.ErrRows,
					r.Point, first, path)
			}
			place[r.Point] = path
		}
		rows = append(rows, j.Rows...)
	}
	head.Shard = Shard{}.String()
	rows, err = complete(rows, head.Sweep.Points)
	return head, rows, err
}

// parts is the number of parts into which the sweep of a journal was cut.
func (h Header) parts() int {
	part, _ := ParseShard(h.Shard) // it was checked when it was read
	return part.normal().Of
}

// complete returns the rows sorted by point, or an error that wraps model.ErrRows
// unless each of the points stands there once.
func complete(rows []Row, points int) ([]Row, error) {
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b Row) int { return a.Point - b.Point })
	var missing []string
	for i, next := 0, 0; next < points || i < len(sorted); next++ {
		switch {
		case i == len(sorted) || sorted[i].Point > next && next < points:
			missing = append(missing, strconv.Itoa(next))
		case sorted[i].Point != next || next >= points:
			return nil, fmt.Errorf("%w: point %d is repeated or beyond the %d points", model.ErrRows,
				sorted[i].Point, points)
		default:
			i++
		}
	}
	if n := len(missing); n > 0 {
		const shown = 10
		text := strings.Join(missing[:min(shown, n)], ", ")
		if n > shown {
			text += fmt.Sprintf(" and %d more", n-shown)
		}
		return nil, fmt.Errorf("%w: %d of %d points are missing: %s", model.ErrRows, n, points, text)
	}
	return sorted, nil
}
