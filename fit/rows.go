package fit

import (
	"errors"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/fit/regression"
	"github.com/atomtune/atomtune/latency"
)

// rows are patterns with their cycles.
type rows struct {
	*warps
	cycles []float64
}

func rowsOf(w *warps, column string) (rows, error) {
	c, err := w.measured.Column(column)
	return rows{w, c.Cycles}, err
}

// thinned returns at most thinRows rows, evenly spread.
func (r rows) thinned() rows {
	if r.thin == nil {
		return r
	}
	return rows{r.thin, spread(r.cycles, thinRows)}
}

const thinRows = 800

// spread returns n of a list, evenly.
func spread[T any](list []T, n int) []T {
	thin := make([]T, n)
	for i := range thin {
		thin[i] = list[i*len(list)/n]
	}
	return thin
}

// warps are patterns, and what structures count in them. All columns share it.
type warps struct {
	measured *patterns.Measurements
	patterns []patterns.Pattern
	thin     *warps // thinRows of them; nil if there are no more
	mutex    sync.Mutex
	designs  map[latency.Structure]func() (regression.Design, error)
}

func warpsOf(m *patterns.Measurements) *warps {
	w := &warps{measured: m, patterns: m.Patterns,
		designs: map[latency.Structure]func() (regression.Design, error){}}
	if len(m.Patterns) > thinRows {
		w.thin = warpsOf(&patterns.Measurements{Lanes: m.Lanes, Patterns: spread(m.Patterns, thinRows)})
	}
	return w
}

// design returns what a structure counts. It counts once.
func (w *warps) design(s latency.Structure) (regression.Design, error) {
	w.mutex.Lock()
	count, ok := w.designs[s]
	if !ok {
		count = sync.OnceValues(func() (regression.Design, error) { return designOf(w.patterns, s) })
		w.designs[s] = count
	}
	w.mutex.Unlock()
	return count()
}

func designOf(all []patterns.Pattern, s latency.Structure) (d regression.Design, err error) {
	model, err := latency.NewModel(latency.Params{Structure: s})
	if err != nil {
		return d, err
	}
	number := map[latency.Counts]int32{}
	for _, pattern := range all {
		counts, err := model.Counts(pattern)
		if err != nil {
			return d, err
		}
		if counts[latency.TermBase] == 0 {
			return d, errors.New("a pattern without an active lane was measured")
		}
		of, ok := number[*counts]
		if !ok {
			of = int32(len(d.X))
			number[*counts] = of
			d.X = append(d.X, slices.Clone(counts[:]))
		}
		d.Of = append(d.Of, of)
	}
	return d, nil
}
