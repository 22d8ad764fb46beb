package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/datasets/recordings"
)

type reading struct {
	recordings.Reading
	parameters map[string]string
}

// number returns a parameter that is a number, or 0.
func (r reading) number(key string) float64 {
	v, _ := strconv.ParseFloat(r.parameters[key], 64)
	return v
}

// lord[n] is how many ranges of n normal readings lie to either side of the mean
// with 95 %: E. Lord, Biometrika 34, 1947, the substitute for Student's t.
var lord = map[int]float64{2: 6.353, 3: 1.304, 4: 0.717, 5: 0.507}

// interval is what the repeats show of the median with 95 %. Of n readings the least and the
// greatest hold it with probability 1 - 2^(1-n), which is enough from 6 on; of fewer the range is
// widened as for normal ones. One reading alone shows no interval, see once.
func (r reading) interval() Interval {
	half := float64(lord[r.Repeats] * (r.High - r.Low))
	return Interval{max(0, min(r.Low, r.Value-half)), max(r.High, r.Value+half)}
}

// once reports whether any of the readings was not repeated.
func once(rows []reading) bool {
	return slices.ContainsFunc(rows, func(r reading) bool { return r.Repeats < 2 })
}

// relative is the standard deviation of the value, as a fraction of it, of which
// the interval is 95 % of a normal distribution.
func (r reading) relative() float64 {
	span := r.interval()
	return (span.High - span.Low) / r.Value / (2 * 1.96)
}

// lookup finds readings by suite, name and parameters.
type lookup struct {
	all     map[[2]string][]reading
	missing []string // what was asked for and is not there
}

func newLookup(list []recordings.Reading) (*lookup, error) {
	l := &lookup{all: map[[2]string][]reading{}}
	for _, r := range list {
		if r.Value == 0 && r.Suite != "device" && r.Suite != "counters" {
			return nil, fmt.Errorf("%w: %s %s %s is 0 %s", ErrData, r.Suite, r.Name, r.Parameters, r.Unit)
		}
		parameters := map[string]string{}
		for _, word := range strings.Fields(r.Parameters) {
			key, value, ok := strings.Cut(word, "=")
			if !ok {
				return nil, fmt.Errorf("%w: %s %s: parameter %q, want key=value",
					ErrData, r.Suite, r.Name, word)
			}
			parameters[key] = value
		}
		key := [2]string{r.Suite, r.Name}
		l.all[key] = append(l.all[key], reading{r, parameters})
	}
	for _, rows := range l.all {
		slices.SortFunc(rows, func(a, b reading) int { return cmp.Compare(a.Parameters, b.Parameters) })
	}
	return l, nil
}

// rows returns the readings of that name with these parameters, `key=value`
// joined by spaces, in an order that does not depend on that of the file.
func (l *lookup) rows(suite, name, parameters string) []reading {
	words := strings.Fields(parameters)
	return where(l.all[[2]string{suite, name}], func(r reading) bool {
		for _, word := range words {
			key, value, _ := strings.Cut(word, "=")
			if r.parameters[key] != value {
				return false
			}
		}
		return true
	})
}

// need returns what rows does, and notes what is not there.
func (l *lookup) need(suite, name, parameters string) []reading {
	found := l.rows(suite, name, parameters)
	if len(found) == 0 {
		l.lack(suite, name, parameters)
	}
	return found
}

func (l *lookup) lack(suite, name, parameters string) {
	text := strings.TrimSpace(suite + " " + name + " " + parameters)
	if !slices.Contains(l.missing, text) {
		l.missing = append(l.missing, text)
	}
}

// where returns the readings that keep accepts.
func where(rows []reading, keep func(r reading) bool) (kept []reading) {
	for _, r := range rows {
		if keep(r) {
			kept = append(kept, r)
		}
	}
	return kept
}

// least returns the readings of which a figure is least.
func least(rows []reading, figure func(r reading) float64) []reading {
	best := math.Inf(1)
	for _, r := range rows {
		best = min(best, figure(r))
	}
	return where(rows, func(r reading) bool { return figure(r) == best })
}

// most returns the readings with the greatest of a parameter, such as those at most warps.
func most(rows []reading, key string) []reading {
	return least(rows, func(r reading) float64 { return -r.number(key) })
}

func (l *lookup) lacks() error {
	if len(l.missing) == 0 {
		return nil
	}
	list := strings.Join(l.missing[:min(8, len(l.missing))], "; ")
	if n := len(l.missing); n > 8 {
		list += fmt.Sprintf(" and %d more", n-8)
	}
	return fmt.Errorf("%w: there are no readings of %s", ErrData, list)
}
