package coordinator

import "github.com/atomtune/atomtune/device"

// line is what a load asks of one line of memory.
type line struct {
	number  int
	lanes   int      // that want a word of it
	highest int      // lanes on its most wanted word
	counts  [64]int8 // lanes by word
}

// linesOf groups the words of a load by the lines of the read path.
func (p *paths) linesOf(words []int) []line {
	p.lines = p.lines[:0]
	for _, word := range words {
		number, at := word/p.segmentWords, len(p.lines)-1
		for at >= 0 && p.lines[at].number != number {
			at--
		}
		if at < 0 {
			at = len(p.lines)
			p.lines = append(p.lines, line{number: number})
		}
		l := &p.lines[at]
		l.lanes++
		place := word % p.segmentWords % len(l.counts)
		l.counts[place]++
		l.highest = max(l.highest, int(l.counts[place]))
	}
	return p.lines
}

func (p *paths) read(w *wavefront, words []int, way path) (issued, done int64) {
	issued = p.issues(w, 1)
	for i := range p.linesOf(words) {
		l := &p.lines[i]
		if way == completePath {
			done = max(done, p.slowLine(l, issued+p.completeWay))
		} else {
			done = max(done, p.fastLine(l, issued))
		}
	}
	p.s.drained = max(p.s.drained, done)
	return issued, done
}

// fastLine is what a line takes on the FastPath, however many lanes want it.
func (p *paths) fastLine(l *line, issued int64) int64 {
	channel := &p.fast[p.channel(l.number*p.segmentWords)]
	if p.cache.holds(l.number) {
		return channel.take(issued+p.cache.way, p.cache.line) + p.cache.way
	}
	return channel.take(issued+p.fastWay, p.segment) + p.fastWay
}

// cache is an L2 cache that keeps the lines it has loaded while there is room.
type cache struct {
	lines     []uint64 // a bit each
	room      int      // for so many more
	way, line int64    // ticks: from a compute unit to the cache; a channel is busy per line
}

func newCache(d *device.Profile) *cache {
	line := d.Paths.Segment.Value
	return &cache{
		room: int(d.Memory.L2Bytes.Value / line),
		way:  ticks(d.Global.LoadLatency.Value) / 2,
		line: ticks(line * d.Core.Clock.Value * 1e6 * d.Global.Slices.Value / d.Memory.L2Rate.Value),
	}
}

// holds reports whether the line is there, and lets it come otherwise.
func (c *cache) holds(line int) bool {
	if c == nil {
		return false
	}
	for line>>6 >= len(c.lines) {
		c.lines = append(c.lines, 0)
	}
	bit := uint64(1) << (line & 63)
	there := c.lines[line>>6]&bit != 0
	if !there && c.room > 0 {
		c.lines[line>>6] |= bit
		c.room--
	}
	return there
}

// slowLine is what a line takes on the CompletePath. Every lane's word is moved
// for itself, through the channel, and a line serves the loads that want one of
// its words more than once after each other: lanes on one word follow each other,
// those on different ones go side by side.
func (p *paths) slowLine(l *line, arrive int64) int64 {
	moved := p.slow[p.channel(l.number*p.segmentWords)].take(arrive,
		int64(float64(4*l.lanes)*p.slowByte))
	if l.highest > 1 {
		held := server{p.held[l.number]}
		moved = max(moved, held.take(arrive, int64(l.highest)*p.copySame))
		p.held[l.number] = held.free
	}
	return moved + p.completeWay + 2*p.fastWay
}
