package speedup

import "github.com/atomtune/atomtune/variant"

// floor numbers the lower bounds of a stream's times.
type floor uint8

const (
	floorNone    floor = iota // what comes before the first kernel
	floorScatter              // the turns of a warp that adds to the targets, in a row
	floorDirect               // that, and one add for each sector that a warp touches
	floorSort                 // its launches; reading and writing all pairs for each digit
	floorThreads              // its launches; issuing, streaming, and a block's sums
	floorCount
)

// floors are lower bounds in microseconds. Each stands for a part of a price that
// grows with what is left out of it.
type floors [floorCount]float64

// floorOf says which bound is an implementation's.
func floorOf(c *candidate) floor {
	switch {
	case c.base == variant.Sort:
		return floorSort
	case c.base == variant.ThreadPrivate:
		return floorThreads
	case c.base == variant.Global && c.way == byScatter:
		return floorScatter
	case c.base == variant.Global:
		return floorDirect
	}
	return floorNone
}

// rounded makes up for the rounding of sums and products made in another order.
const rounded = 1 - 1e-8

// setFloors fills in the lower bounds of a stream, without the host's work.
func (b *Bundle) setFloors(st *stream, f *floors) {
	lead := st.lead * rounded
	f[floorNone] = lead
	moved := st.updates * b.leastSort
	f[floorSort] = larger(rounded*(b.first+(st.cleared+7)*b.next), lead+digitsOf(st.Bins)*moved)
	update := larger(st.stream*rounded, st.turns*b.leastThreadTurn)
	f[floorThreads] = rounded * b.after(lead+update+st.bins*b.leastThreadSum, st.cleared+1, 0)
	if b.needsGlobal {
		requests := st.turns * st.sectors
		turns := st.turnsDirect * st.headAtomic * b.cycle
		slice := larger(requests*b.request, requests*st.sliceShare*b.pass+st.streamAtomic)
		address := larger(requests*st.invSectors*b.sameAddress, b.missUS(st, requests, st.streamAtomic))
		f[floorScatter] = lead + turns*rounded
		f[floorDirect] = lead + larger(turns, larger(slice, address))*rounded
	}
}

// setLeast prepares the lower bounds that setFloors fills in.
func (b *Bundle) setLeast() {
	b.leastSort = rounded * 2 * b.updateBytes * smaller(b.near, b.far)
	b.leastThreadTurn = rounded * larger(
		(b.turnInstructions+copyInstructions)*b.issue, 2*b.words*b.passPort*b.perSM)
	if len(b.threadShapes) > 0 {
		sum := b.sharedLoad + b.alu + b.treeSteps*(b.shuffle+b.alu) + flushInstructions*b.alu + b.load
		b.leastThreadSum = rounded * sum * b.cycle * b.threadShapes[0].invWarps
	}
}
