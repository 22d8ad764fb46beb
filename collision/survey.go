package collision

import (
	"cmp"
	"math"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// A Viewer is a Stream whose targets can be seen where they are.
type Viewer interface {
	Stream
	// View shows the targets of n updates from number at on, for as long as look runs.
	View(at, n int, look func([]uint32)) error
}

// View shows targets.
func (s Indices) View(at, n int, look func([]uint32)) error {
	look(s[at : at+n])
	return nil
}

// Survey is what one pass over a whole stream tells beside a sample of it.
type Survey struct {
	Bins uint64 // Options.Bins, or the highest index + 1
	// Sorted says that no target is below the one before. It is not looked for in a padded stream.
	Sorted bool
	Runs   uint64 // maximal stretches of equal targets of a sorted stream, 0 for others
}

// surveyed is how many updates a worker looks at once.
const surveyed = 1 << 16

// NewSurvey reads every update of a stream once. Of the options it takes Bins, Padded and Workers.
// Errors wrap ErrEmpty, ErrOptions, or ErrIndex for an index that is not below Bins; those of the
// stream are returned too.
func NewSurvey(stream Stream, opt Options) (Survey, error) {
	if err := opt.Validate(); err != nil {
		return Survey{}, err
	}
	if stream.Len() == 0 {
		return Survey{}, ErrEmpty
	}
	opt = opt.normal()
	tasks := (stream.Len() + surveyed - 1) / surveyed
	workers := make([]surveyor, min(opt.Workers, tasks))
	var next atomic.Int64
	var disorder atomic.Bool
	disorder.Store(opt.Padded)
	var group errgroup.Group
	for i := range workers {
		w := &workers[i]
		*w = surveyor{opt: opt, stream: stream, disorder: &disorder}
		group.Go(func() error {
			for task := int(next.Add(1)) - 1; task < tasks; task = int(next.Add(1)) - 1 {
				if err := w.stretch(task * surveyed); err != nil {
					next.Store(int64(tasks)) // nothing further counts
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return Survey{}, err
	}
	return surveyOf(workers, opt.Bins, !disorder.Load()), nil
}

func surveyOf(workers []surveyor, bins uint64, sorted bool) Survey {
	highest, runs := uint32(0), uint64(1)
	for i := range workers {
		highest, runs = max(highest, workers[i].highest), runs+workers[i].changes
	}
	s := Survey{Bins: cmp.Or(bins, uint64(highest)+1), Sorted: sorted}
	if sorted {
		s.Runs = runs
	}
	return s
}

// surveyor is one worker of a survey.
type surveyor struct {
	opt      Options
	stream   Stream
	disorder *atomic.Bool // some worker has seen a target below the one before
	buf      []uint32     // of a stream that cannot be viewed
	highest  uint32
	changes  uint64 // updates whose predecessor has another target, while none is below it
}

// stretch looks at the updates from number at on, and at the one before them.
func (w *surveyor) stretch(at int) (err error) {
	before := min(at, 1)
	n := min(surveyed, w.stream.Len()-at) + before
	look := func(keys []uint32) { err = w.look(keys, before, at) }
	if v, ok := w.stream.(Viewer); ok {
		if viewing := v.View(at-before, n, look); viewing != nil {
			return viewing
		}
		return err
	}
	if w.buf == nil {
		w.buf = make([]uint32, surveyed+1)
	}
	if err := w.stream.Read(w.buf[:n], at-before); err != nil {
		return err
	}
	look(w.buf[:n])
	return err
}

// look measures a stretch behind so many updates that another one has.
func (w *surveyor) look(keys []uint32, before, at int) error {
	own := keys[before:]
	highest := w.opt.highest(own)
	if w.highest = max(w.highest, highest); w.opt.Bins > 0 && uint64(highest) >= w.opt.Bins {
		return w.opt.check(own, uint64(at))
	}
	if !w.disorder.Load() {
		changes, sorted := ascending(keys)
		if w.changes += changes; !sorted {
			w.disorder.Store(true)
		}
	}
	return nil
}

// ascending counts the keys that differ from the one before, until one is below it.
func ascending(keys []uint32) (changes uint64, sorted bool) {
	for i := 1; i < len(keys); i++ {
		if keys[i] != keys[i-1] {
			if keys[i] < keys[i-1] {
				return changes, false
			}
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
	s.AllLevel = float64(s.Updates) / float64(s.Unique)
	s.MaxFrequency = max(s.MaxFrequency, uint64(math.Ceil(s.AllLevel)))
	s.MaxChunkFrequency8 = max(s.MaxChunkFrequency8, s.MaxFrequency)
	s.MaxChunkFrequency4 = max(s.MaxChunkFrequency4, s.MaxChunkFrequency8)
}
