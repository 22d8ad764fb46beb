// Package sensitivity finds break-even points around a stream: how far one quantity of the stream can
// move until another kind of implementation is faster, while the rest stays as it is. The kind is
// the implementation without its parameters.
//
// Three quantities move: the number of updates, the number of targets, and how many updates meet.
// What is held while each does is in Sweep.Held. Times are predictions of tuner.Chooser, of
// statistics that are made as follows:
//
//   - Updates, n' of n: each target keeps its share. Counts of updates and stretches are
//     multiplied by q = n'/n, means over warps and blocks stay. A target with f updates still
//     occurs in a shorter stream with probability 1 - (1-q)^f, and a longer one has no new targets.
//   - Targets, K' of K: update u of target t goes to floor((t + r)·K'/K), which is measured. r is 0
//     where there are fewer targets, so that neighbours merge. Where there are more it is uniform
//     in [0, 1), drawn anew for each run of equal neighbours, so that runs stay together.
//   - Contention: a share of the updates, drawn independently, goes to the most frequent target or,
//     with a negative share, to uniform targets. That is measured too.
//
// What is measured is an Excerpt. Where it is not the whole stream, statistics are estimated from its
// blocks as those of any sample of package collision, and are near those of the stream at its place.
package sensitivity

import (
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
)

// Quantity is what moves along a sweep.
type Quantity string

// The quantities.
const (
	Updates Quantity = "updates"
	Targets Quantity = "targets"
	// Contention is the share of the updates that go to the most frequent target besides, from 0 to 1;
	// negative: that go to uniform targets.
	Contention Quantity = "contention"
)

// A Sweep is one quantity moved away from a stream.
type Sweep struct {
	Quantity Quantity `json:"quantity"`
	Held     string   `json:"held"` // what stays and what does not, in words
	At       float64  `json:"at"`   // of the stream
	// Winner is the kind of the choice for the stream.
	Winner impl.Spec `json:"winner"`
	// Places are the values of the quantity that were tried, ascending; At is among them.
	Places     []float64 `json:"places"`
	WarpLevels []float64 `json:"warp_levels"` // of the streams there
	// Lines are the times of each kind that wins somewhere, and of naive.
	Lines      []Line      `json:"lines"`
	BreakEvens []BreakEven `json:"break_evens"` // ascending
}

// A Line is the least predicted time of a kind at each place of a sweep; nil where none can run.
type Line struct {
	Kind impl.Spec  `json:"kind"`
	US   []*float64 `json:"us"`
}

// A BreakEven is where another kind is faster, known to 5 % or to one update or target. Kinds within
// tuner.TieBand of the least time are as good as it: a change counts from where they are apart.
type BreakEven struct {
	Below impl.Spec `json:"below"` // the kind on the side of the lower values
	Above impl.Spec `json:"above"`
	Last  float64   `json:"last"`  // the highest value that was tried at which Below is no slower
	First float64   `json:"first"` // the lowest above it, at which Above is faster
}

// Stream is the stream around which sweeps are made.
type Stream struct {
	Stats *collision.Stats
	// Frequencies are those of Stats, nil where these come from a sample.
	Frequencies []collision.Frequency
	Excerpt     *Excerpt
	// Known are places that were found before around this stream, for this chooser, and need not be found
	// again. Keep, if not nil, is given each further one; its error ends the work.
	Known []Place
	Keep  func(Place) error
}

// A Place is what is predicted at one value of a quantity.
type Place struct {
	Quantity  Quantity  `json:"quantity"`
	At        float64   `json:"at"`
	WarpLevel float64   `json:"warp_level"`
	US        []float64 `json:"us"` // by kind, in the order of the chooser's candidates; math.MaxFloat64: none can run
}

// Shortest is the number of updates from which streams have sweeps: a block or two say too little.
const Shortest = 512

// Around returns the sweeps around a stream, for which that is the choice; none for a stream of fewer
// than Shortest updates. Errors are those of collision.Analyze, Chooser.Forecast and Stream.Keep.
func Around(s Stream, c *tuner.Chooser, choice impl.Spec) ([]Sweep, error) {
	if s.Stats.Updates < Shortest {
		return nil, nil
	}
	var list []Sweep
	for _, q := range newMaker(s).quantities() {
		w := newWalk(q, c, s)
		w.follow(choice.Kind())
		if w.err != nil {
			return nil, w.err
		}
		list = append(list, w.sweep())
	}
	return list, nil
}
