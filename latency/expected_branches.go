package latency

import "math"

// split is a state of splitMeans: the probability that the turns seen so far
// parked no lanes that were merged later, that they did, and the means of the
// counts so far, each times the probability of the state.
type split struct{ none, some, park, saved float64 }

// splitStates are the states at one turn, by the lanes that leave after it and
// by the locks, of either part, with a lane that leaves in it or later.
type splitStates struct {
	locks [2]int // largest number of either part
	at    []split
}

func newSplitStates(lanes, turn int, parts []part) splitStates {
	var s splitStates
	size := lanes + 1
	for i, p := range parts {
		s.locks[i] = min(p.places, lanes/turn)
	}
	s.at = make([]split, size*(s.locks[0]+1)*(s.locks[1]+1))
	return s
}

func (s splitStates) state(after, a, b int) *split {
	return &s.at[(after*(s.locks[0]+1)+a)*(s.locks[1]+1)+b]
}

// splits goes through the turns of a loop from the last to the first. The lanes
// that leave in turn t are W_t, the locks with at least t lanes, so that the
// load of every lock follows from W_1 >= W_2 >= ..., and the probability of a
// sequence is that of the loads.
type splits struct {
	lanes   int
	parts   []part
	weights []series // per part: of a lock's load
}

// meanBranches is the mean of the branch terms of a loop whose lanes are
// uniform on words that are dealt to locks: at the branch of turn t the lanes
// that are done are parked if W_t > Σ_{j>t} W_j.
func meanBranches(lanes, words, locks int) (park, merge, mergeSaved float64) {
	s := splits{lanes: lanes, parts: deal(words, locks)}
	for _, p := range s.parts {
		s.weights = append(s.weights, poisson(float64(lanes)*float64(p.words)/float64(words), lanes))
	}
	states := newSplitStates(lanes, lanes+1, s.parts)
	*states.state(0, 0, 0) = split{none: 1}
	for turn := lanes; turn > 0; turn-- {
		states = s.before(states, turn)
	}
	var sum split
	for a := range states.locks[0] + 1 {
		for b := range states.locks[1] + 1 {
			sum = sum.plus(*states.state(lanes, a, b), s.empty(0, a)*s.empty(1, b))
		}
	}
	whole := poisson(float64(lanes), lanes)[lanes]
	return sum.park / whole, sum.some / whole, -sum.saved / whole
}

// before goes from the states after a turn to those after the turn before it.
func (s splits) before(states splitStates, turn int) splitStates {
	out := newSplitStates(s.lanes, turn, s.parts)
	for after := range s.lanes + 1 {
		for a := range states.locks[0] + 1 {
			for b := range states.locks[1] + 1 {
				if from := *states.state(after, a, b); from.none+from.some > 0 {
					s.spread(out, from, turn, after, a, b)
				}
			}
		}
	}
	return out
}

// spread adds to the locks a and b with more than turn lanes any numbers of
// locks with exactly as many. In every turn from here to the first as many
// lanes leave at least.
func (s splits) spread(out splitStates, from split, turn, after, a, b int) {
	byA := 1.0
	for moreA := 0; a+moreA <= out.locks[0] && after+turn*(a+moreA+b) <= s.lanes; moreA++ {
		byB := byA
		for moreB := 0; b+moreB <= out.locks[1]; moreB++ {
			leave := a + moreA + b + moreB
			if after+turn*leave > s.lanes {
				break
			}
			to := out.state(after+leave, a+moreA, b+moreB)
			*to = to.plus(from.branch(leave, after, after == a+b), byB)
			byB *= s.another(1, b+moreB, moreB, turn)
		}
		byA *= s.another(0, a+moreA, moreA, turn)
	}
}

// another is the factor by which one more lock of a part with exactly load
// lanes comes in, when taken locks have as many or more, and already of them
// exactly as many.
func (s splits) another(i, taken, already, load int) float64 {
	if i >= len(s.parts) {
		return 0
	}
	return float64(s.parts[i].places-taken) / float64(already+1) * s.weights[i][load]
}

// empty is the probability that the other locks of a part have no lane.
func (s splits) empty(i, taken int) float64 {
	if i >= len(s.parts) {
		return 1
	}
	return math.Pow(s.weights[i][0], float64(s.parts[i].places-taken))
}

// branch puts a turn before the turns so far: leave lanes leave in it and after
// lanes later, all in one turn if that is the last.
func (x split) branch(leave, after int, last bool) split {
	switch {
	case after == 0 || leave <= after:
		return x
	case last:
		x.park += x.none + x.some
		return x
	}
	x.saved += x.some
	return split{some: x.none + x.some, park: x.park, saved: x.saved}
}

func (x split) plus(y split, weight float64) split {
	return split{
		none: x.none + y.none*weight, some: x.some + y.some*weight,
		park: x.park + y.park*weight, saved: x.saved + y.saved*weight,
	}
}
