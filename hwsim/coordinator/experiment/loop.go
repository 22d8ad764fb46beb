package experiment

import (
	"fmt"

	"github.com/atomtune/atomtune/hwsim/coordinator"
)

// Loop is a loop of loads whose addresses are known: in each turn, all lanes load
// one word by each pattern.
type Loop struct {
	Turns    int
	Patterns []Pattern
	// Unrolled is of how many turns the loads are under way together, as far as a
	// clause holds them; 0 means 1.
	Unrolled int
}

// Pattern says which word of global memory lane l loads in turn t:
//
//	First + t*Turn + (l / Width)*Down + (l mod Width)*Across
type Pattern struct {
	First, Turn         int
	Width, Down, Across int
}

// Bounds of the words that a pattern takes in, and of the loads of a loop.
const (
	mostWords    = 1 << 30
	mostAccesses = 1 << 16
)

// fill sets the words of a turn, by lane.
func (a Pattern) fill(turn int, words []int) {
	for l := range words {
		words[l] = a.First + turn*a.Turn + l/a.Width*a.Down + l%a.Width*a.Across
	}
}

// Check reports a loop that makes no sense.
func (l Loop) Check(lanes int) error {
	if l.Turns < 0 || l.Unrolled < 0 || l.Unrolled > mostAccesses ||
		l.Turns*len(l.Patterns) > mostAccesses {
		return fmt.Errorf("a loop of %d turns with %d loads each, %d turns together: want at most %d "+
			"loads", l.Turns, len(l.Patterns), l.Unrolled, mostAccesses)
	}
	for _, a := range l.Patterns {
		if a.Width < 1 || min(a.First, a.Turn, a.Down, a.Across) < 0 ||
			max(a.First, a.Turn, a.Down, a.Across) > mostWords {
			return fmt.Errorf("pattern %+v is out of range", a)
		}
		if last := a.First + l.Turns*a.Turn + lanes*(a.Down+a.Across); last > mostWords {
			return fmt.Errorf("pattern %+v reaches beyond word %d", a, mostWords)
		}
	}
	return nil
}

// Run executes the loads in clauses. Loads of several wavefronts reach memory in
// the order in which they are issued. The run's regime is one of this package.
func (l Loop) Run(w *coordinator.Front, p coordinator.Path) {
	words := make([]int, w.Lanes())
	pace := w.Pace().(reader)
	clause := min(w.Pace().Clause(), max(1, l.Unrolled)*len(l.Patterns))
	under, done := 0, w.Now()
	for t := range l.Turns {
		for _, a := range l.Patterns {
			a.fill(t, words)
			issued, came := pace.read(w, words, p)
			w.Until(issued)
			done = max(done, came)
			if under++; under == clause {
				w.Until(done)
				under = 0
			}
			w.Acts()
		}
	}
	w.Until(done)
}
