package tables

import (
	"context"
	"errors"
	"slices"

	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// A line is one subject along one column.
type line struct {
	subject subject
	source  *source
	fine    []uint32                // numbers of targets
	seen    map[int]*tuner.Decision // by place in fine; nil where there is none
	rows    []int                   // places of the table's rows
	breaks  []int                   // places of the last targets before each break-even point
}

// follow decides the rows and finds the break-even points between them.
func (l *line) follow(ctx context.Context) error {
	for _, k := range Targets() {
		if err := ctx.Err(); err != nil {
			return err
		}
		i, _ := slices.BinarySearch(l.fine, uint32(k))
		l.rows = append(l.rows, i)
		if _, err := l.decide(i); err != nil {
			return err
		}
	}
	for i, high := range l.rows[1:] {
		if err := l.bisect(ctx, l.rows[i], high); err != nil {
			return err
		}
	}
	return nil
}

// decide returns the decision at a place, nil where there is no such stream or
// nothing can run on it.
func (l *line) decide(i int) (*tuner.Decision, error) {
	if d, ok := l.seen[i]; ok {
		return d, nil
	}
	l.seen[i] = nil
	p, err := l.source.at(l.fine[i])
	if p == nil || err != nil {
		return nil, err
	}
	switch d, err := tuner.Choose(&p.stats, l.subject.device, l.subject.choice); {
	case err == nil:
		l.seen[i] = &d
	case !errors.Is(err, model.ErrNone):
		return nil, err
	}
	return l.seen[i], nil
}

// bisect appends the break-even points between two places. Where a third kind
// wins between two, both of its ends are found.
func (l *line) bisect(ctx context.Context, low, high int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	from, err := l.decide(low)
	if err != nil {
		return err
	}
	to, err := l.decide(high)
	if err != nil || from == nil || to == nil || kindOf(from) == kindOf(to) {
		return err
	}
	if high == low+1 {
		l.breaks = append(l.breaks, low)
		return nil
	}
	middle := (low + high) / 2
	if err := l.bisect(ctx, low, middle); err != nil {
		return err
	}
	return l.bisect(ctx, middle, high)
}

func kindOf(d *tuner.Decision) variant.Variant { return Kind(d.Choice.Implementation) }

// side returns one side of a break-even point: the choice at a place, and how
// far the kind of the other place lies behind.
func (l *line) side(at, other int) Side {
	d, kind := l.seen[at], kindOf(l.seen[other])
	s := Side{Targets: uint64(l.fine[at]), Implementation: d.Choice.Implementation}
	if b := behind(d, func(v variant.Variant) bool { return Kind(v) == kind }); b != nil {
		s.Margin = &b.Margin
	}
	return s
}
