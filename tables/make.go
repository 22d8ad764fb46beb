package tables

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// Make makes the tables: for each device in the order of the options one for
// each type. The result does not depend on the number of cores. Errors wrap
// ErrOptions, those of tuner.Choose, or that of the context.
func Make(ctx context.Context, o Options) (*Document, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	subjects, err := o.subjects()
	if err != nil {
		return nil, err
	}
	lines, err := makeLines(ctx, o, subjects)
	if err != nil {
		return nil, err
	}
	return assemble(o, subjects, lines), nil
}

type subject struct {
	device *device.Profile
	choice tuner.Options
}

func (o Options) subjects() ([]subject, error) {
	types := o.Types
	if len(types) == 0 {
		types = device.Types()
	}
	var list []subject
	for _, d := range o.Devices {
		before := len(list)
		for _, t := range types {
			s := subject{d, o.choice(t)}
			_, err := tuner.NewChooser(d, s.choice)
			if errors.Is(err, model.ErrNone) && len(o.Types) == 0 {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("tables: %s, %s: %w", d.Name, t, err)
			}
			list = append(list, s)
		}
		if len(list) == before {
			return nil, fmt.Errorf("tables: %s: %w for any type", d.Name, model.ErrNone)
		}
	}
	return list, nil
}

// makeLines makes the lines of all subjects along all columns, several columns
// at once. It returns them by column, then by subject.
func makeLines(ctx context.Context, o Options, subjects []subject) ([][]*line, error) {
	columns := Columns()
	all := make([][]*line, len(columns))
	var (
		workers errgroup.Group
		mutex   sync.Mutex
		done    int
	)
	step := func() {
		mutex.Lock()
		defer mutex.Unlock()
		if done++; o.Progress != nil {
			o.Progress(done, len(columns)*len(subjects))
		}
	}
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for c := range columns {
		workers.Go(func() (err error) {
			all[c], err = column(ctx, c, o.updates(), subjects, step)
			return err
		})
	}
	return all, workers.Wait()
}

// column makes the lines of all subjects along a column. Subjects with warps of
// one size share their streams.
func column(
	ctx context.Context, place, updates int, subjects []subject, step func(),
) ([]*line, error) {
	sources := map[int]*source{}
	var lines []*line
	for _, s := range subjects {
		size := int(s.device.Core.WarpLanes.Value)
		if sources[size] == nil {
			sources[size] = newSource(place, updates, size)
		}
		l := &line{subject: s, source: sources[size], fine: fineTargets(),
			seen: map[int]*tuner.Decision{}}
		if err := l.follow(ctx); err != nil {
			return nil, fmt.Errorf("tables: %s, %s, %s: %w", s.device.Name, s.choice.Call.Type,
				l.source.column, err)
		}
		lines = append(lines, l)
		step()
	}
	return lines, nil
}
