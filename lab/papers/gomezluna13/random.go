package gomezluna13

import (
	"math/rand/v2"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/lab/papers"
)

// batch is the number of random patterns that one task handles.
const batch = 1000

// every is the distance between the random patterns that Figures 5 and 6
// simulate.
const every = 10

// eachPattern draws the patterns of one batch of a vote space, the same for
// every layout and experiment. The pattern is valid during the call.
func eachPattern(o papers.Options, words, number int, do func(i int, pattern []int32)) {
	rng := rand.New(rand.NewPCG(o.Seed, uint64(words)<<32|uint64(number)))
	space := patterns.Space{Words: words}
	pattern := make([]int32, lanes)
	for i := number * batch; i < min((number+1)*batch, o.Patterns); i++ {
		space.Draw(rng, pattern)
		do(i, pattern)
	}
}

// degrees counts the conflicts of patterns by brute force, apart from the
// closed forms.
type degrees struct {
	onWord [sharedWords]uint8
	onLock [lockWords]uint8
	onBank [lanes]uint8
}

// of returns the largest number of lanes that want one word, of lanes that
// share one lock, and of different words on one bank.
func (d *degrees) of(pattern []int32) (position, lock, bank int) {
	for _, word := range pattern {
		d.onWord[word]++
		position = max(position, int(d.onWord[word]))
		d.onLock[word%lockWords]++
		lock = max(lock, int(d.onLock[word%lockWords]))
		if d.onWord[word] == 1 {
			d.onBank[word%lanes]++
			bank = max(bank, int(d.onBank[word%lanes]))
		}
	}
	for _, word := range pattern {
		d.onWord[word], d.onLock[word%lockWords], d.onBank[word%lanes] = 0, 0, 0
	}
	return position, lock, bank
}
