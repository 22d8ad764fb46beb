package training

import (
	"math"

	"github.com/atomtune/atomtune/internal/portable"
)

// hyperparameters says how complex the correction of one implementation is.
type hyperparameters struct {
	alpha  int     // of alphas
	shrink float64 // factor of the tree's values; 0 leaves the closed form
}

// shrinks are the factors that are tried with each of the alphas.
var shrinks = [...]float64{0.5, 0.75, 1}

// grid lists what is tried, the simplest first.
var grid = func() []hyperparameters {
	list := []hyperparameters{{alpha: len(alphas) - 1}}
	for a := len(alphas) - 1; a >= 0; a-- {
		for _, shrink := range shrinks {
			list = append(list, hyperparameters{a, shrink})
		}
	}
	return list
}()

// significance is the number of standard errors over the families that hyperparameters must
// gain: families differ more than points do.
const significance = 2

// search looks for the hyperparameters of least regret: the mean over samples of ln of the
// time of the chosen implementation over the best time.
type search struct {
	*Training
	outOfFold *heldOut
	allowed   []hyperparameters
	samples   []int
	family    []int // of each sample
	// ln of the closed form, by variant and place in samples; +Inf where it did not run
	closed [][]float64
	loss   [][]float64       // ln of simulated over best time, likewise
	scores [][]float64       // ln of the predicted time under the settings at hand
	chosen []hyperparameters // by variant
}

// searchSettings returns the hyperparameters by variant, of those allowed, that choose best on
// the samples by out-of-fold predictions: first one for all trees, then another for each in
// turn where that lowers the regret significantly.
func (t *Training) searchSettings(outOfFold *heldOut, samples []int,
	allowed []hyperparameters) []hyperparameters {
	r := &search{Training: t, outOfFold: outOfFold, allowed: allowed, samples: samples,
		chosen: make([]hyperparameters, len(t.Variants))}
	folds := t.familyFolds()
	for _, i := range samples {
		r.family = append(r.family, folds[i])
	}
	for v := range t.Variants {
		closed, loss := make([]float64, len(samples)), make([]float64, len(samples))
		for j, i := range samples {
			s := &t.Samples[i]
			closed[j], loss[j] = math.Inf(1), math.Inf(1)
			if s.Has(v) {
				closed[j], loss[j] = portable.Log(s.Closed[v]), portable.Log(s.Simulated[v]/s.Best())
			}
		}
		r.closed, r.loss = append(r.closed, closed), append(r.loss, loss)
		r.scores = append(r.scores, make([]float64, len(samples)))
	}
	r.share()
	for changed, round := true, 0; changed && round < 2; round++ {
		changed = false
		for v := range t.Variants {
			changed = r.refine(v) || changed
		}
	}
	return r.chosen
}

// set gives a variant hyperparameters.
func (r *search) set(v int, s hyperparameters) {
	r.chosen[v] = s
	leaves, closed := r.outOfFold.leaves[v][s.alpha], r.closed[v]
	for j, i := range r.samples {
		r.scores[v][j] = closed[j] + float64(s.shrink*leaves[i].value)
	}
}

// best returns the hyperparameters of least loss that beat the present ones significantly, of
// equals the simplest, else the present ones. losses returns the loss at each place under some.
func (r *search) best(present hyperparameters,
	losses func(hyperparameters) []float64) hyperparameters {
	best, most, before := present, 0.0, losses(present)
	for _, s := range r.allowed {
		gain := losses(s)
		for j := range gain {
			gain[j] = before[j] - gain[j]
		}
		mean, deviation := r.overFamilies(gain, r.family)
		if mean > significance*deviation && mean > most {
			best, most = s, mean
		}
	}
	return best
}

// share gives all variants the hyperparameters of least regret that beat the closed forms
// significantly.
func (r *search) share() {
	setAll := func(s hyperparameters) {
		for v := range r.Variants {
			r.set(v, s)
		}
	}
	setAll(r.best(grid[0], func(s hyperparameters) []float64 {
		setAll(s)
		losses := make([]float64, len(r.samples))
		for j := range losses {
			losses[j] = r.loss[r.first(j, -1)][j]
		}
		return losses
	}))
}

// refine gives one variant other hyperparameters if that gains significantly, and reports
// whether it did.
func (r *search) refine(v int) bool {
	others := make([]int, len(r.samples)) // the choice without v
	for j := range others {
		others[j] = r.first(j, v)
	}
	present := r.chosen[v]
	r.set(v, r.best(present, func(s hyperparameters) []float64 {
		r.set(v, s)
		losses := make([]float64, len(r.samples))
		for j, o := range others {
			losses[j] = r.loss[o][j]
			if own, other := r.scores[v][j], r.scores[o][j]; own < other || own == other && v < o {
				losses[j] = r.loss[v][j]
			}
		}
		return losses
	}))
	return r.chosen[v] != present
}

// first returns the variant of least score at a place, leaving one out; of equals the first.
func (r *search) first(j, without int) int {
	best, least := 0, math.Inf(1)
	for v := range r.scores {
		if s := r.scores[v][j]; v != without && s < least {
			best, least = v, s
		}
	}
	return best
}

// overFamilies returns the mean of the families' means and its standard error.
func (t *Training) overFamilies(values []float64, family []int) (mean, deviation float64) {
	sum, count := make([]float64, len(t.Families)), make([]float64, len(t.Families))
	for j, f := range family {
		sum[f] += values[j]
		count[f]++
	}
	var n, squares float64
	for f := range sum {
		if count[f] > 0 {
			n++
			mean += sum[f] / count[f]
		}
	}
	mean /= n
	for f := range sum {
		if count[f] > 0 {
			off := sum[f]/count[f] - mean
			squares += float64(off * off)
		}
	}
	return mean, math.Sqrt(squares / (n * max(1, n-1)))
}
