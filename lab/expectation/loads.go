package expectation

import "math"

// masses are a few probabilities, or means times probabilities, of a state.
type masses [4]float64

func (x masses) plus(y masses, factor float64) masses {
	for i := range x {
		x[i] += y[i] * factor
	}
	return x
}

// rule puts an iteration before those seen so far: leave lanes leave in it and after
// lanes later, all of these in the next iteration if that is the last.
type rule func(x masses, iteration, leave, after int, last bool) masses

// loads goes through the iterations of a loop from the last to the first:
// doc/results/latency.md.
type loads struct {
	lanes   int
	parts   [2]part      // the second one may be empty
	weights [2][]float64 // of a lock's load
	rule    rule
}

// loadStates are the states at one iteration, by the lanes that leave after it and
// by the locks, of either part, with a lane that leaves in it or later.
type loadStates struct {
	locks [2]int // largest number of either part
	at    []masses
}

func newLoadStates(lanes, iteration int, parts [2]part) loadStates {
	var s loadStates
	for i, p := range parts {
		s.locks[i] = min(p.places, lanes/iteration)
	}
	s.at = make([]masses, (lanes+1)*(s.locks[0]+1)*(s.locks[1]+1))
	return s
}

func (s loadStates) state(after, a, b int) *masses {
	return &s.at[(after*(s.locks[0]+1)+a)*(s.locks[1]+1)+b]
}

// overLoads follows a rule through all loads of locks by lanes that are uniform
// on words which are distributed to the locks. Before the last iteration the masses are
// 1, 0, 0, 0.
func overLoads(lanes, words, locks int, r rule) masses {
	l := loads{lanes: lanes, rule: r}
	copy(l.parts[:], distribute(words, locks))
	for i, p := range l.parts {
		l.weights[i] = poisson(lanes, p.words, words)
	}
	states := newLoadStates(lanes, lanes+1, l.parts)
	*states.state(0, 0, 0) = masses{1}
	for iteration := lanes; iteration > 0; iteration-- {
		states = l.before(states, iteration)
	}
	var sum masses
	whole := poisson(lanes, 1, 1)[lanes]
	for a := range states.locks[0] + 1 {
		for b := range states.locks[1] + 1 {
			sum = sum.plus(*states.state(lanes, a, b), l.empty(0, a)*l.empty(1, b)/whole)
		}
	}
	return sum
}

// before goes from the states after an iteration to those after the iteration before it.
func (l loads) before(states loadStates, iteration int) loadStates {
	out := newLoadStates(l.lanes, iteration, l.parts)
	for after := range l.lanes + 1 {
		for a := range states.locks[0] + 1 {
			for b := range states.locks[1] + 1 {
				if from := *states.state(after, a, b); from != (masses{}) {
					l.spread(out, from, iteration, after, a, b)
				}
			}
		}
	}
	return out
}

// spread adds to the locks a and b with more than turn lanes any numbers of
// locks with exactly as many. In every iteration from here to the first as many
// lanes leave at least.
func (l loads) spread(out loadStates, from masses, iteration, after, a, b int) {
	byA := 1.0
	for moreA := 0; a+moreA <= out.locks[0] && after+iteration*(a+moreA+b) <= l.lanes; moreA++ {
		byB := byA
		for moreB := 0; b+moreB <= out.locks[1]; moreB++ {
			leave := a + moreA + b + moreB
			if after+iteration*leave > l.lanes {
				break
			}
			to := out.state(after+leave, a+moreA, b+moreB)
			*to = to.plus(l.rule(from, iteration, leave, after, after == a+b), byB)
			byB *= l.another(1, b+moreB, moreB, iteration)
		}
		byA *= l.another(0, a+moreA, moreA, iteration)
	}
}

// another is the factor by which one more lock of a part with exactly load
// lanes comes in, when taken locks have as many or more, and already of them
// exactly as many.
func (l loads) another(i, taken, already, load int) float64 {
	return float64(l.parts[i].places-taken) / float64(already+1) * l.weights[i][load]
}

// empty is the probability that the other locks of a part have no lane.
func (l loads) empty(i, taken int) float64 {
	return math.Pow(l.weights[i][0], float64(l.parts[i].places-taken))
}
