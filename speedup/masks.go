package speedup

import (
	"math"

	"github.com/atomtune/atomtune/impl"
)

// What a warp executes for masks=hash besides its accesses to shared memory, counted in the inner
// loop of the CUDA header's kernel: the hash of the key and its place; and in each iteration, compare
// with the key found there, twice whether the mask is made, vote, branch. Barriers of a warp, which
// GPUs with one program counter a warp do not have, and branches around one instruction are left
// out.
var (
	hashing       = count{alu: 5}
	hashIteration = count{alu: 4, ballots: 1}
)

// hashAccesses are the loads and stores of an iteration: of a key and of a mask.
const hashAccesses = 4

// hashGroups is group with a hash in shared memory in place of the loop. In each iteration lanes store a
// key, load it, and clear, make and load a mask by an atomic add, at which the lanes of a target
// meet, of the most frequent one in the first iteration. Where words have L lock bits, L/(2·m) warps of an
// SM each have one for the most frequent target of the stream. Those that find it taken try again
// together, so that in each Round one lane of them adds.
func (b *Bundle) hashGroups(r *reduction, st *stream, a *adds) {
	met := a.highest
	b.group(r, 0, st, a)
	iterations, degree := hashIterations(st.DistinctPerWarp), b.hashDegree(st.DistinctPerWarp)
	hash, iteration := hashing.price(&b.rates), hashIteration.price(&b.rates)
	first, meeting, busy := b.masks.add(met, degree)
	again, alone, free := b.masks.add(1, 1)
	a.issued += hash.issued + first + iterations*(iteration.issued+hashAccesses) +
		(iterations-1)*again
	a.latency += hash.latency + meeting + iterations*(iteration.latency+2*b.sharedLoad) +
		(iterations-1)*alone
	port := busy + iterations*iteration.busy + hashAccesses*b.passPort*(iterations-1+degree) +
		(iterations-1)*free
	a.busy += max(port, st.maxFrequency/st.iterations*b.masks.round*b.perLock())
}

// perLock is the inverse number of warps of an SM whose places have lock bits of their own; 0 where
// there are no locks.
func (b *Bundle) perLock() float64 {
	if b.masks.locks == 0 {
		return 0
	}
	return min(1, 2*impl.MaskPlaces/b.masks.locks)
}

// hashIterations is how many turns a warp with so many different keys takes, the mean number of keys on
// the fullest of m places. Of n keys, k meet on one place with about the probability
//
//	1 - exp(-C(n, k)/m^(k-1))
//
// as if each of the C(n, k) sets of k keys met for itself.
func hashIterations(keys float64) float64 {
	iterations, sets := 1.0, keys
	for k := 2.0; k <= 6; k++ {
		sets *= max(0, keys-k+1) / (k * impl.MaskPlaces)
		iterations -= math.Expm1(-sets)
	}
	return iterations
}

// hashDegree is how many of the places of so many different keys lie on the fullest bank: two where
// of the m/2 pairs of places on one bank some pair has both. A place has a key with the probability
//
//	p = 1 - (1 - 1/m)^keys
func (b *Bundle) hashDegree(keys float64) float64 {
	taken := -math.Expm1(keys * math.Log1p(-1.0/impl.MaskPlaces))
	return 1 - math.Expm1(-taken*taken*impl.MaskPlaces/2)
}
