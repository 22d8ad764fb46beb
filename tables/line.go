package tables

import (
	"cmp"
	"context"
	"errors"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

type line struct {
	subject subject
	source  *source
	seen    map[int]*tuner.Decision // by place in fineTargets; nil if there is none
	breaks  []int                   // places of the last targets before each break-even point
	err     error                   // the first; nothing is decided behind it
}

// follow decides the rows and finds the break-even points between them.
func (l *line) follow(ctx context.Context) {
	for i, high := range rowPlaces[1:] {
		l.bisect(ctx, rowPlaces[i], high)
	}
}

// decide returns the decision at a place, nil where there is no stream or nothing can run.
func (l *line) decide(ctx context.Context, i int) *tuner.Decision {
	if d, ok := l.seen[i]; ok || l.err != nil {
		return d
	}
	l.seen[i] = nil
	p, err := l.source.at(i)
	if l.err = cmp.Or(err, ctx.Err()); p == nil || l.err != nil {
		return nil
	}
	d, err := l.subject.chooser.Choose(tuner.Given(&p.stats))
	if err == nil {
		l.seen[i] = &d
	} else if !errors.Is(err, model.ErrNone) {
		l.err = err
	}
	return l.seen[i]
}

// bisect appends the break-even points between two places, both of a third kind that wins.
func (l *line) bisect(ctx context.Context, low, high int) {
	from, to := l.decide(ctx, low), l.decide(ctx, high)
	switch {
	case from == nil || to == nil || kindOf(from) == kindOf(to):
	case high == low+1:
		l.breaks = append(l.breaks, low)
	default:
		middle := (low + high) / 2
		l.bisect(ctx, low, middle)
		l.bisect(ctx, middle, high)
	}
}

func kindOf(d *tuner.Decision) impl.Spec { return d.Choice.Implementation.Kind() }

// side returns the choice at a place, and how far the kind of the other place lies behind.
func (l *line) side(at, other int) Side {
	d, kind := l.seen[at], kindOf(l.seen[other])
	s := Side{Stream: l.source.points[at].place, Targets: uint64(fineTargets[at]),
		Implementation: d.Choice.Implementation}
	if b := behind(d, func(v impl.Spec) bool { return v.Kind() == kind }); b != nil {
		s.Margin = &b.Margin
	}
	return s
}
