package grow

import "math"

// leastGain is the decrease of the mean ln loss for which another action is worth a place.
const leastGain = 2e-4

// pick returns the actions of the tree: one after the other that which lowers the mean loss of a
// choice of the best most, until none lowers it by leastGain.
func (r *rows) pick(most int) (chosen []int) {
	best := make([]float64, len(r.x)) // ln loss with the actions so far
	decided := r.decided()
	for i := range best {
		best[i] = math.Inf(1)
	}
	for last := math.Inf(1); len(chosen) < most; {
		action, least := -1, last-leastGain
		for a, logs := range decided {
			sum := 0.0
			for i, v := range logs {
				sum += min(v, best[i])
			}
			if mean := sum / float64(len(best)); mean < least {
				action, least = a, mean
			}
		}
		if action < 0 {
			return chosen
		}
		last = least
		chosen = append(chosen, action)
		for i, v := range decided[action] {
			best[i] = min(best[i], v)
		}
	}
	return chosen
}
