package collision

import (
	"cmp"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/atomtune/atomtune/collision/internal/kernel"
)

// Survey is what one pass over a whole stream adds to a sample of it.
type Survey struct {
	Bins uint64 // that were given, or the highest index + 1
	// Sorted says that no target is below the one before. It is not looked for in a padded stream.
	Sorted bool
	Runs   uint64 // maximal runs of equal targets of a sorted stream, 0 for others
}

// stretch is how many updates a worker looks at at once.
const stretch = 1 << 16

// NewSurvey reads every update of a stream. Of the options it takes Bins, Padded and Workers. Errors wrap
// ErrEmpty, ErrOptions, or ErrIndex for an index that is not below Bins; those of the stream
// are returned too.
func NewSurvey(stream Stream, opt Options) (Survey, error) {
	if err := opt.Validate(); err != nil {
		return Survey{}, err
	}
	if stream.Len() == 0 {
		return Survey{}, ErrEmpty
	}
	tasks := (stream.Len() + stretch - 1) / stretch
	workers := make([]*surveyor, min(cmp.Or(opt.Workers, runtime.GOMAXPROCS(0)), tasks))
	var disorder, failed atomic.Bool
	disorder.Store(opt.Padded)
	for i := range workers {
		workers[i] = &surveyor{opt: opt, stream: stream, disorder: &disorder}
	}
	kernel.Parallel(workers, tasks, func(w *surveyor, task int) {
		if failed.Load() {
			return // nothing further counts
		}
		if w.err = w.read(task * stretch); w.err != nil {
			w.task = task
			failed.Store(true)
		}
	})
	highest, runs := uint32(0), uint64(1)
	var first *surveyor // tasks begin in order, so that the first error is among them
	for _, w := range workers {
		highest, runs = max(highest, w.highest), runs+w.changes
		if w.err != nil && (first == nil || w.task < first.task) {
			first = w
		}
	}
	if first != nil {
		return Survey{}, first.err
	}
	s := Survey{Bins: cmp.Or(opt.Bins, uint64(highest)+1), Sorted: !disorder.Load()}
	if s.Sorted {
		s.Runs = runs
	}
	return s, nil
}

// surveyor looks at stretches of a stream.
type surveyor struct {
	opt      Options
	stream   Stream
	disorder *atomic.Bool // some worker has seen a target below the one before
	buf      []uint32     // of a stream that is not in memory
	highest  uint32
	task     int // which failed
	err      error
	changes  uint64 // updates whose predecessor has another target, while none is below it
}

func (w *surveyor) read(at int) error {
	before := min(at, 1)
	n := min(stretch, w.stream.Len()-at) + before
	if s, ok := w.stream.(Indices); ok {
		return w.look(s[at-before:][:n], before, at)
	}
	if w.buf == nil {
		w.buf = make([]uint32, stretch+1)
	}
	if err := w.stream.Read(w.buf[:n], at-before); err != nil {
		return err
	}
	return w.look(w.buf[:n], before, at)
}

// look measures a stretch, behind so many updates that another one has.
func (w *surveyor) look(keys []uint32, before, at int) error {
	own, sorted := keys[before:], !w.disorder.Load()
	if sorted {
		var changes uint64
		if changes, sorted = ascending(keys); !sorted {
			w.disorder.Store(true)
		}
		w.changes += changes
	}
	highest := own[len(own)-1]
	if !sorted {
		highest = kernel.HighestOf(own, w.opt.Padded)
	}
	w.highest = max(w.highest, highest)
	if bins := w.opt.Bins; bins > 0 && uint64(highest) >= bins {
		if i := kernel.Beyond(own, bins, w.opt.Padded); i >= 0 {
			return fmt.Errorf("%w: update %d has index %d, the stream has %d bins", ErrIndex, at+i, own[i],
				bins)
		}
	}
	return nil
}

func ascending(keys []uint32) (changes uint64, sorted bool) {
	before := keys[0]
	for _, key := range keys[1:] {
		if key != before {
			if key < before {
				return changes, false
			}
			before = key
			changes++
		}
	}
	return changes, true
}

// Apply puts what the survey knows in the place of what a sample of the stream estimates: of a sorted
// stream each stretch is a target.
func (v Survey) Apply(s *Stats) {
	if !v.Sorted || s.Sampled == nil {
		return
	}
	known := *s.Sampled
	known.Sorted, known.UniqueLow, known.UniqueHigh, known.HalfWidth.Runs = true, v.Runs, v.Runs, 0
	s.Sampled, s.Runs, s.Unique = &known, v.Runs, v.Runs
	s.Bound()
}
