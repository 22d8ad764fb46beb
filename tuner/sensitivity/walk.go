package sensitivity

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// walk looks for break-even points from the stream outwards.
type walk struct {
	quantity
	chooser *tuner.Chooser
	kinds   []impl.Spec
	kindOf  []int // of each candidate, its place among kinds
	into    []model.Prediction
	seen    map[float64]*Place
	keep    func(Place) error
	winner  int // at the stream, its place among kinds
	breaks  []BreakEven
	err     error // the first
}

func newWalk(q quantity, c *tuner.Chooser, s Stream) *walk {
	w := &walk{quantity: q, chooser: c, seen: map[float64]*Place{}, keep: s.Keep}
	candidates := c.Candidates()
	w.into = make([]model.Prediction, len(candidates))
	for _, v := range candidates {
		kind := v.Kind()
		if !slices.Contains(w.kinds, kind) {
			w.kinds = append(w.kinds, kind)
		}
		w.kindOf = append(w.kindOf, slices.Index(w.kinds, kind))
	}
	for _, p := range s.Known {
		if p.Quantity == q.name && len(p.US) == len(w.kinds) {
			w.seen[p.At] = &p
		}
	}
	return w
}

// at returns what is predicted at a value.
func (w *walk) at(value float64) *Place {
	if p := w.seen[value]; p != nil {
		return p
	}
	p := &Place{Quantity: w.name, At: value, US: slices.Repeat([]float64{math.MaxFloat64}, len(w.kinds))}
	w.seen[value] = p
	if w.err != nil {
		return p
	}
	if err := w.predict(p); err != nil {
		w.err = fmt.Errorf("break-even points, %s %v: %w", w.name, value, err)
	}
	return p
}

// predict completes a place.
func (w *walk) predict(p *Place) error {
	s, err := w.stats(p.At)
	if err == nil {
		err = w.chooser.Forecast(&s, w.into)
	}
	if err != nil {
		return err
	}
	p.WarpLevel = s.WarpLevel
	for i, r := range w.into[:len(w.kindOf)] {
		p.US[w.kindOf[i]] = min(p.US[w.kindOf[i]], r.US)
	}
	if w.keep == nil {
		return nil
	}
	return w.keep(*p)
}

// follow walks from the stream, at which a kind is chosen, to both ends.
func (w *walk) follow(choice impl.Spec) {
	us := w.at(w.here).US
	w.winner = slices.Index(w.kinds, choice)
	if best := leastOf(us); us[w.winner] > (1+tuner.TieBand)*us[best] {
		w.winner = best // of the excerpt, which is not the stream
	}
	from, _ := slices.BinarySearch(w.grid, w.here)
	down := slices.Clone(w.grid[:from+1])
	slices.Reverse(down)
	w.outward(down, w.winner)
	for i, b := range w.breaks { // on this side the walk went from above to below
		w.breaks[i] = BreakEven{Below: b.Above, Above: b.Below, Last: b.First, First: b.Last}
	}
	slices.Reverse(w.breaks)
	w.outward(w.grid[from:], w.winner)
}

// outward appends the break-even points along values, at the first of which a kind wins.
func (w *walk) outward(values []float64, kind int) {
	begin := 0 // from where on the kind wins
	for i, value := range values {
		us := w.at(value).US
		best := leastOf(us)
		if us[kind] <= (1+tuner.TieBand)*us[best] {
			continue
		}
		slower := func(value float64) bool {
			us := w.at(value).US
			return us[kind] > us[best]
		}
		equal := i - 1 // the last at which the kind was no slower than the best of this one
		for equal > begin && slower(values[equal]) {
			equal--
		}
		last, first := values[equal], values[equal+1]
		for middle, apart := w.between(last, first); apart; middle, apart = w.between(last, first) {
			if slower(middle) {
				first = middle
			} else {
				last = middle
			}
		}
		w.breaks = append(w.breaks, BreakEven{w.kinds[kind], w.kinds[best], last, first})
		kind, begin = best, i
	}
}

func leastOf(us []float64) (least int) {
	for i, t := range us {
		if t < us[least] {
			least = i
		}
	}
	return least
}

// sweep returns what the walk has found.
func (w *walk) sweep() Sweep {
	s := Sweep{Quantity: w.name, Held: w.held, At: w.here, Winner: w.kinds[w.winner],
		Places: slices.Sorted(maps.Keys(w.seen)), BreakEvens: append([]BreakEven{}, w.breaks...)}
	for _, value := range s.Places {
		s.WarpLevels = append(s.WarpLevels, w.at(value).WarpLevel)
	}
	for i, kind := range w.kinds {
		wins := func(b BreakEven) bool { return b.Below == kind || b.Above == kind }
		if !kind.IsNaive() && i != w.winner && !slices.ContainsFunc(w.breaks, wins) {
			continue
		}
		l := Line{Kind: kind}
		for _, value := range s.Places {
			var us *float64
			if t := w.at(value).US[i]; t < math.MaxFloat64 {
				us = &t
			}
			l.US = append(l.US, us)
		}
		s.Lines = append(s.Lines, l)
	}
	return s
}
