package grow

import (
	"math"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// launchThreads are those of a block of the one persistent kernel, with one on each SM.
const launchThreads = 1024

var unrolls = []int{1, 4}

// candidateNames are the implementations from which training picks those of a tree: of each few sizes, since
// copies are cut to what fits, and such as were measured in that launch where any were. The tree's
// own sample of 2,048 updates fills the tables.
const candidateNames = `naive sr match
	private private:r=8,pad=1 private:r=32,pad=1 private+sr private+match
	private:r=1,ranges=2 private:r=1,ranges=3 private:r=1,ranges=4 private:r=1,ranges=8
	hot:s=64,r=32,sample=2048 hot:s=256,r=32,sample=2048 hot:s=1024,r=8,sample=2048
	hot:s=1024,r=32,sample=2048 hot:s=8192,r=2,sample=2048
	hot:s=64,r=32,sample=2048+sr hot:s=64,r=32,sample=2048+match
	hot:s=4096,sample=2048+sr hot:s=4096,sample=2048+match
	threadprivate partition:w=8192 partition:w=16384 partition:w=32768`

// Candidates lists the candidates from which training picks those of the tree.
func Candidates() (list []dispatch.Candidate) {
	for _, v := range impl.List(candidateNames) {
		if v.SeveralKernels() { // with launches of their own
			list = append(list, dispatch.Candidate{Implementation: v})
			continue
		}
		for _, unroll := range unrolls {
			list = append(list, dispatch.Candidate{Implementation: v,
				Launch: dispatch.PerSM{BlocksPerSM: 1, Threads: launchThreads, Unroll: unroll}})
		}
	}
	return list
}

// leastGain is the decrease of the mean cost for which another candidate is worth a place.
const leastGain = 2e-4

// pick returns the candidates of the tree: one after the other that which lowers the mean cost of a
// choice of the best most, until none lowers it by leastGain.
func (r *rows) pick(most int) (chosen []int) {
	best := make([]float64, len(r.x)) // cost with the candidates so far
	decided := r.decided()
	for i := range best {
		best[i] = math.Inf(1)
	}
	for last := math.Inf(1); len(chosen) < most; {
		candidate, least := -1, last-leastGain
		for a, costs := range decided {
			sum := 0.0
			for i, v := range costs {
				sum += min(v, best[i])
			}
			if mean := sum / float64(len(best)); mean < least {
				candidate, least = a, mean
			}
		}
		if candidate < 0 {
			return chosen
		}
		last = least
		chosen = append(chosen, candidate)
		for i, v := range decided[candidate] {
			best[i] = min(best[i], v)
		}
	}
	return chosen
}
