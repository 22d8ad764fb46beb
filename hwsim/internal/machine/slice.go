package machine

import (
	"math/bits"

	"github.com/atomtune/atomtune/internal/splitmix"
)

type slice struct {
	server
	under  []underway // the last requests, in turn
	oldest int
}

// underway is the last request for an address, or for a sector.
type underway struct {
	addr uint64
	free int64 // ticks: when it is done
}

// leastWord is the bytes of the smallest word that a slice updates at once.
const leastWord = 4

// request sends one atomic request per sector to the slices and returns the cycle in which the last
// is done. In a sector, different words are served together and equal ones one after the other. Each
// lane has a piece of so many elements, which lies in one sector.
func (m *Machine) request(w *Warp, how *atomicTiming, buf *Buffer, index []uint64, lanes uint64,
	piece, start int64) int64 {
	address, sectors, passes := &m.scratch.address, &m.scratch.sectors, &m.scratch.passes
	at := wordsOf(buf)
	serial := how.requests == 0 && how.waits() // no more is known of the slices
	m.together(at, index, lanes)
	unit := w.unit
	done, now := int64(0), start<<tickBits
	transit := how.latency << tickBits / 2
	order := order{how: how, elem: at.size, now: now, cold: !how.cached && m.WholeBytes(buf) > m.l2AtomicBytes}
	piece = max(1, piece>>at.shift)
	for s := range sectors.n {
		order.sector, order.words, order.passes = sectors.key[s], int64(sectors.count[s])*piece, passes[s]
		order.at = unit.sector.take(now, passes[s]*m.smSector) + transit
		done = max(done, m.serve(&order))
	}
	if serial {
		for i := range address.n {
			done = max(done, m.serialise(how, at.base+address.key[i]*at.size, int64(address.count[i]),
				now+transit))
		}
	}
	return (done + transit) >> tickBits
}

// words are those that a slice updates at once: the elements of an array or, of smaller ones, as many
// neighbours as make one.
type words struct {
	base, size uint64 // bytes
	shift      int    // a word is of 2^shift elements
}

func wordsOf(buf *Buffer) words {
	if size := buf.ElemBytes(); size < leastWord {
		return words{buf.Base, leastWord, bits.Len64(leastWord/size) - 1}
	}
	return words{base: buf.Base, size: buf.ElemBytes()}
}

// together numbers the words that the lanes want, and their sectors with the words of each. A sector
// takes as many passes as lanes want the same word of it.
func (m *Machine) together(at words, index []uint64, lanes uint64) {
	address, sectors, passes := &m.scratch.address, &m.scratch.sectors, &m.scratch.passes
	address.reset()
	for rest := lanes; rest != 0; rest &= rest - 1 {
		address.add(index[bits.TrailingZeros64(rest)] >> at.shift)
	}
	sectors.reset()
	for i := range address.n {
		n := sectors.add(m.sectorOf(at.base + address.key[i]*at.size))
		if sectors.count[n] == 1 {
			passes[n] = 0
		}
		passes[n] = max(passes[n], int64(address.count[i]))
	}
}

type order struct {
	how           *atomicTiming
	elem          uint64 // bytes
	cold          bool   // the sector may be in memory alone
	sector        uint64
	words, passes int64
	now, at       int64 // ticks: when it is sent and when it arrives
}

// serve lets the slice of the sector make an order and returns the tick in which it is done.
func (m *Machine) serve(o *order) (done int64) {
	how, to := o.how, m.sliceWith(o.sector)
	cost := how.word + (o.passes-1)*how.pass
	if o.words > 1 {
		all := int64(m.sectorBytes / o.elem)
		cost += (how.sector - how.word) * (o.words - 1) / max(1, all-1)
	}
	if how.requests > 0 && how.waits() {
		done = to.work(how, o.sector, o.passes, cost, o.now, o.at)
	} else {
		done = to.arrive(o.now, o.at, cost)
	}
	if o.cold && m.misses(o.sector) {
		done = max(done, m.dram.arrive(o.now, o.at, m.missTime(o.sector))+m.missGlobal<<tickBits)
	}
	return done
}

// missTime is that of DRAM for a sector that misses. Of rows, the second of two sectors comes with the
// first, and after a neighbour that missed the first of two takes what two sectors do.
func (m *Machine) missTime(sector uint64) int64 {
	next := m.Rows && sector == m.missed+1
	m.missed = sector
	switch {
	case next && sector%2 == 1:
		return 0
	case next:
		return m.nextCost
	}
	return m.missCost
}

// work is serve where passes over one sector wait for each other for longer than
// a pass takes. The slice begins requests in their order, works on a few at once,
// and lets one wait for another on the same sector.
func (s *slice) work(how *atomicTiming, sector uint64, passes, cost, now, at int64) int64 {
	if len(s.under) < how.requests {
		s.under = append(s.under, make([]underway, how.requests-len(s.under))...)
	}
	transit := at - now
	begin := max(now, s.under[s.oldest].free-transit)
	for i := range s.under {
		if u := &s.under[i]; u.addr == sector {
			begin = max(begin, u.free-transit)
		}
	}
	done := max(s.arrive(begin, begin+transit, cost), begin+transit+passes*how.same)
	s.under[s.oldest] = underway{sector, done}
	if s.oldest++; s.oldest == len(s.under) {
		s.oldest = 0
	}
	return done
}

const foundSlices = 1 << 20

// sliceWith returns the slice with a sector.
func (m *Machine) sliceWith(sector uint64) *slice {
	if sector >= foundSlices {
		return &m.slice[m.sliceOf(sector*m.sectorBytes)]
	}
	kept := m.found.at(sector)
	if *kept == 0 {
		*kept = uint16(m.sliceOf(sector*m.sectorBytes)) + 1
	}
	return &m.slice[*kept-1]
}

// sliceOf spreads the address space over the slices: by the device's hash where that is known, and
// otherwise neighbouring regions take turns on groups of slices, each round of iterations begins at
// another group, and the chunks of a region take turns within its group.
func (m *Machine) sliceOf(addr uint64) uint64 {
	if m.hash != nil {
		return m.hash.Slice(addr / m.chunkBytes)
	}
	region := addr / m.regionBytes
	groups := m.slices / m.regionSlices
	group := (region + splitmix.Mix(region/groups)) % groups
	return group*m.regionSlices + addr/m.chunkBytes%m.regionSlices
}

// SlowSlices makes atomic updates take their slices so many times as long.
func (m *Machine) SlowSlices(parts int64) {
	for _, how := range []*atomicTiming{&m.global, &m.counter} {
		how.pass, how.same = how.pass*parts, how.same*parts
		how.word, how.sector = how.word*parts, how.sector*parts
	}
}

// waits reports whether updates of one address wait for longer than a pass takes,
// by more than two measurements of the same differ.
func (how *atomicTiming) waits() bool { return how.same > how.pass+how.pass/20 }

// Places of addresses of which updates wait for each other, and those that one of them may take; and
// places of addresses of which swaps are under way.
const (
	sameAddresses = 1 << 14
	probes        = 8
	busyAddresses = 1 << 16
)

// serialise makes updates of one address wait for each other. An address that
// finds its places taken by others with updates under way goes unserialised:
// the table has 2^14 places, far more than addresses that are busy at once.
func (m *Machine) serialise(how *atomicTiming, addr uint64, n, at int64) int64 {
	home, done := splitmix.Mix(addr), at+n*how.same
	var free *underway
	for i := range uint64(probes) {
		slot := m.same.at((home + i) & (sameAddresses - 1))
		if slot.addr == addr {
			slot.free = max(at, slot.free) + n*how.same
			return slot.free
		}
		if free == nil && slot.free <= at {
			free = slot
		}
	}
	if free != nil {
		*free = underway{addr, done}
	}
	return done
}

const ways = 8

// cacheSet holds sectors, each as its number plus 1, the oldest next to go.
type cacheSet struct {
	sector [ways]uint64
	oldest uint8
}

// misses reports whether a request for the sector finds it evicted from L2, and brings it in.
// The part of L2 that holds targets under atomics is a cache of sets that drop the sector that
// came first: of random requests to a footprint F beyond its capacity C it holds about C/F.
func (m *Machine) misses(sector uint64) bool {
	if m.resident == nil {
		m.resident = make([]cacheSet, max(1, m.l2AtomicBytes/m.sectorBytes/ways))
	}
	set := &m.resident[splitmix.Mix(sector)%uint64(len(m.resident))]
	for _, s := range set.sector {
		if s == sector+1 {
			return false
		}
	}
	set.sector[set.oldest] = sector + 1
	set.oldest = (set.oldest + 1) % ways
	return true
}

// Touch brings elements into L2 as updates before the kernel have done, without taking time.
func (m *Machine) Touch(buf *Buffer, first, number uint64) {
	if m.WholeBytes(buf) <= m.l2AtomicBytes {
		return
	}
	size := buf.ElemBytes()
	last := m.sectorOf(buf.Base + (first+number)*size - 1)
	for sector := m.sectorOf(buf.Base + first*size); sector <= last; sector++ {
		m.misses(sector)
	}
}

// overflow puts the sectors that the active lanes store to into an array that L2
// cannot hold as a whole, which drives as many others out to memory.
func (m *Machine) overflow(w *Warp, buf *Buffer, index []uint64, start int64) {
	last := ^uint64(0)
	bytes := int64(0)
	for l := range lanesOf(w.mask) {
		sector := m.sectorOf(buf.Base + index[l]*buf.ElemBytes())
		if sector != last {
			m.misses(sector)
			bytes += int64(m.sectorBytes)
			last = sector
		}
	}
	if !m.Stream { // otherwise the transfer has gone to memory
		at := start << tickBits
		m.end = max(m.end, m.dram.arrive(at, at, bytes*m.dramByte/1024)>>tickBits)
	}
}
