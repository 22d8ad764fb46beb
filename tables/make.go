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
	lines := make([][]*line, len(columns)) // by column, then by subject
	var (
		workers errgroup.Group
		mutex   sync.Mutex
		done    int
	)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for c := range columns {
		workers.Go(func() error {
			sources := map[int]*source{} // subjects with warps of one size share their streams
			for _, s := range subjects {
				size := int(s.device.Core.WarpLanes.Value)
				if sources[size] == nil {
					sources[size] = &source{column: c, updates: o.updates(), warpSize: size, rows: o.Width > 0,
						points: map[int]*point{}, shares: map[uint32]int{}}
				}
				l := &line{subject: s, source: sources[size], seen: map[int]*tuner.Decision{}}
				if l.follow(ctx); l.err != nil {
					return fmt.Errorf("tables: %s, %s, %s: %w", s.device.Name, s.typ,
						columns[c], l.err)
				}
				lines[c] = append(lines[c], l)
				mutex.Lock()
				if done++; o.Progress != nil {
					o.Progress(done, len(columns)*len(subjects))
				}
				mutex.Unlock()
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	return assemble(o, subjects, lines), nil
}

type subject struct {
	device  *device.Profile
	typ     device.Type
	chooser *tuner.Chooser
}

func (o Options) subjects() (list []subject, err error) {
	types := o.Types
	if len(types) == 0 {
		types = device.Types()
		if o.Width > 0 {
			types = device.RowTypes()
		}
	}
	for _, d := range o.Devices {
		before := len(list)
		for _, t := range types {
			chooser, err := tuner.New(d, tuner.Options{
				Call: o.call(t), Model: o.Model, SearchLaunch: true})
			if errors.Is(err, model.ErrNone) && len(o.Types) == 0 {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("tables: %s, %s: %w", d.Name, t, err)
			}
			list = append(list, subject{d, t, chooser})
		}
		if len(list) == before {
			return nil, fmt.Errorf("tables: %s: %w for any type", d.Name, model.ErrNone)
		}
	}
	return list, nil
}
