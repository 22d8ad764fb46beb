package machine

import "github.com/atomtune/atomtune/internal/splitmix"

// slice is one slice of the L2 cache with its atomic unit.
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
	address, sectors := &m.scratch.address, &m.scratch.sectors
	size, perWord := buf.ElemBytes(), uint64(1)
	if size < leastWord { // a pair of elements is a word
		perWord, size = leastWord/size, leastWord
	}
	address.reset()
	for l := range lanesOf(lanes) {
		address.add(index[l] / perWord)
	}
	piece = max(1, piece/int64(perWord))
	sectors.reset()
	var passes [64]int64
	for i := range address.n {
		n := int64(address.count[i])
		s := sectors.add((buf.Base + address.key[i]*size) / m.sectorBytes)
		passes[s] = max(passes[s], n)
	}
	unit := &m.sm[w.block.sm]
	done, now := int64(0), start<<tickBits
	transit := how.latency << tickBits / 2
	for s := range sectors.n {
		at := unit.sector.take(now, passes[s]*m.smSector) + transit
		words := int64(sectors.count[s]) * piece
		done = max(done, m.serve(how, buf, sectors.key[s], words, passes[s], now, at))
	}
	if how.requests == 0 && how.waits() { // no more is known of the slices
		for i := range address.n {
			done = max(done, m.serialise(how, buf.Base+address.key[i]*size, int64(address.count[i]),
				now+transit))
		}
	}
	return (done + transit) >> tickBits
}

// serve lets the slice of a sector make one warp's request for so many words of it, the most
// wanted one by so many lanes, and returns the tick in which it is done.
func (m *Machine) serve(how *atomicTiming, buf *Buffer, sector uint64, words, passes, now,
	at int64) (done int64) {
	to := &m.slice[m.sliceOf(sector*m.sectorBytes)]
	all := int64(m.sectorBytes / max(leastWord, buf.ElemBytes()))
	cost := how.word + (how.sector-how.word)*(words-1)/max(1, all-1) + (passes-1)*how.pass
	if how.requests > 0 && how.waits() {
		done = to.work(how, sector, passes, cost, now, at)
	} else {
		done = to.arrive(now, at, cost)
	}
	if !how.cached && m.WholeBytes(buf) > m.l2AtomicBytes && m.misses(sector) {
		done = max(done, m.dram.arrive(now, at, m.missTime(sector))+m.missGlobal<<tickBits)
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
	s.oldest = (s.oldest + 1) % len(s.under)
	return done
}

// sliceOf spreads the address space over the slices: by the device's hash where that is known, and
// otherwise neighbouring regions take turns on groups of slices, each round of turns begins at
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

// addresses is a table of 2^16 places, of which pages are made when they are asked for.
type addresses [1 << 8]*[1 << 8]underway

func (t *addresses) at(place uint64) *underway {
	page := &t[place>>8&0xFF]
	if *page == nil {
		*page = new([1 << 8]underway)
	}
	return &(*page)[place&0xFF]
}

const (
	sameAddresses = 1 << 14 // places of addresses of which updates wait for each other
	probes        = 8       // places that one of them may take
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
