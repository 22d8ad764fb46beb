package gomezluna13

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/latency"
)

// conflicts are sums over random patterns, or means once divided.
type conflicts struct {
	patterns, cycles float64 // closed form
	// Of the patterns that were taken apart.
	counted        float64
	lock, bank     float64 // cycles beyond the base latency
	lockDegree     float64
	positionDegree float64
	bankDegree     float64
	aliased        float64 // patterns whose lock degree is above their position degree
	locked         float64 // patterns with a lock degree above 1
	neighbours     neighbours
	// Of the patterns that were simulated: their simulated cycles,
	// and those of the closed form.
	tried, simulated, closed float64
}

// neighbours are pairs of consecutive lanes that want the same word of the
// vote space, and how many of them meet in shared memory: on one word, on
// different words of one lock, or of one bank.
type neighbours struct{ pairs, onWord, onLock, onBank float64 }

func (c *conflicts) countedFields() []*float64 {
	n := &c.neighbours
	return []*float64{
		&c.lock, &c.bank, &c.lockDegree, &c.positionDegree, &c.bankDegree, &c.aliased, &c.locked,
		&n.pairs, &n.onWord, &n.onLock, &n.onBank,
	}
}

// fields lists all that is summed.
func (c *conflicts) fields() []*float64 {
	return append(c.countedFields(), &c.patterns, &c.cycles, &c.counted, &c.tried, &c.simulated,
		&c.closed)
}

func (c *conflicts) add(other conflicts) {
	mine := c.fields()
	for i, theirs := range other.fields() {
		*mine[i] += *theirs
	}
}

// means divides the sums by the number of patterns behind each.
func (c conflicts) means() conflicts {
	c.cycles /= c.patterns
	for _, sum := range c.countedFields() {
		*sum /= c.counted
	}
	c.simulated /= c.tried
	c.closed /= c.tried
	return c
}

// meansOf adds batches up, in their order, and divides.
func meansOf(batches [][]conflicts) []conflicts {
	total := make([]conflicts, len(batches[0]))
	for _, sums := range batches {
		for i := range sums {
			total[i].add(sums[i])
		}
	}
	for i := range total {
		total[i] = total[i].means()
	}
	return total
}

// batch is the number of random patterns that one task handles.
const batch = 1000

// rarely is the distance between the random patterns that are simulated. Closed form and
// simulator count the same iterations and passes of a single warp, so that more would say no more.
const rarely = 50

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

// setting is a layout, and whether the warp's pattern is sorted before.
type setting struct {
	layout
	sorted bool
}

// counter counts the conflicts of patterns. It is for one goroutine.
type counter struct {
	*probe
	degrees
	placed, ascending []int32
}

func newCounter() (*counter, error) {
	p, err := newProbe(device.OpAdd)
	if err != nil {
		return nil, err
	}
	return &counter{probe: p, placed: make([]int32, lanes), ascending: make([]int32, lanes)}, nil
}

// batch sums over the patterns of one batch for each setting. Every apart-th
// pattern is taken apart, and every tried-th simulated.
func (c *counter) batch(o papers.Options, words, number, apart, tried int,
	settings []setting) []conflicts {
	sums := make([]conflicts, len(settings))
	offsets := make([][lanes]int32, len(settings))
	for i, s := range settings {
		offsets[i] = s.offsets()
	}
	ordered := slices.ContainsFunc(settings, func(s setting) bool { return s.sorted })
	eachPattern(o, words, number, func(i int, pattern []int32) {
		if ordered {
			copy(c.ascending, pattern)
			slices.Sort(c.ascending)
		}
		for s := range settings {
			wanted := pattern
			if settings[s].sorted {
				wanted = c.ascending
			}
			place(c.placed, wanted, &offsets[s])
			c.add(&sums[s], wanted, i%apart == 0, i%tried == 0)
		}
	})
	return sums
}

// add adds the placed pattern, which may be taken apart and simulated.
func (c *counter) add(sum *conflicts, wanted []int32, apart, try bool) {
	var cycles float64
	if apart {
		cycles = c.takeApart(sum)
		sum.neighbours.add(wanted, c.placed)
	} else {
		cycles = c.closed(c.placed)
	}
	sum.patterns++
	sum.cycles += cycles
	if try {
		sum.tried++
		sum.simulated += c.simulated(c.placed)
		sum.closed += cycles
	}
}

// takeApart adds what the placed pattern's latency consists of and returns it.
func (c *counter) takeApart(sum *conflicts) (cycles float64) {
	counts, err := c.model.Counts(c.placed)
	if err != nil {
		return c.keep(0, err)
	}
	cycles = c.params.Total(counts)
	sum.counted++
	sum.lock += counts[latency.TermRound] * c.params.Round
	sum.bank += counts[latency.TermBank]*c.params.Bank + counts[latency.TermWrite]*c.params.Write
	position, lock, bank := c.of(c.placed)
	sum.positionDegree += float64(position)
	sum.lockDegree += float64(lock)
	sum.bankDegree += float64(bank)
	if lock > position {
		sum.aliased++
	}
	if lock > 1 {
		sum.locked++
	}
	return cycles
}

// add counts the pairs of consecutive lanes.
func (n *neighbours) add(wanted, placed []int32) {
	for l := 1; l < len(wanted); l++ {
		if wanted[l] != wanted[l-1] {
			continue
		}
		n.pairs++
		switch apart := placed[l] - placed[l-1]; {
		case apart == 0:
			n.onWord++
		case apart%lockWords == 0:
			n.onLock++
		case apart%lanes == 0:
			n.onBank++
		}
	}
}

// survey is a mean over the random patterns of each setting.
type survey map[setting]conflicts

// survey takes the settings of every vote space over the random patterns. Every
// apart-th pattern is taken apart, and every tried-th simulated.
func surveyOf(ctx context.Context, o papers.Options, apart, tried int,
	settings func(words int) []setting) (survey, error) {
	perSpace := (o.Patterns + batch - 1) / batch
	sums := make([][]conflicts, len(voteSpaces)*perSpace)
	err := o.Share(ctx, len(sums), func() (func(int) error, error) {
		c, err := newCounter()
		if err != nil {
			return nil, err
		}
		return func(task int) error {
			words := voteSpaces[task/perSpace]
			sums[task] = c.batch(o, words, task%perSpace, apart, tried, settings(words))
			return c.err
		}, nil
	})
	if err != nil {
		return nil, err
	}
	all := survey{}
	for space, words := range voteSpaces {
		means := meansOf(sums[space*perSpace : (space+1)*perSpace])
		for i, s := range settings(words) {
			all[s] = means[i]
		}
	}
	return all, nil
}
