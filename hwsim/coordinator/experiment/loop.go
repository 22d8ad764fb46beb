package experiment

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/coordinator"
)

// Loop is a loop of loads whose addresses are known: in each iteration, all lanes load
// one word by each pattern.
type Loop struct {
	Iterations int
	Patterns   []Pattern
	// Unrolled is of how many iterations the loads are under way together, as far as a
	// clause holds them; 0 means 1.
	Unrolled int
}

// Pattern says which word of global memory lane l loads in turn t:
//
//	First + t*Turn + (l / Width)*Down + (l mod Width)*Across
type Pattern struct {
	First, Turn         int
	Width, Down, Across int
}

// Bounds of the words that a pattern takes in, and of the loads of a loop.
const (
	mostWords    = 1 << 30
	mostAccesses = 1 << 16
)

// fill sets the words of an iteration, by lane.
func (a Pattern) fill(iteration int, words []int) {
	first := a.First + iteration*a.Turn
	for rest := words; len(rest) > 0; first += a.Down {
		row := rest[:min(a.Width, len(rest))]
		for l := range row {
			row[l] = first + l*a.Across
		}
		rest = rest[len(row):]
	}
}

// Check reports a loop that makes no sense.
func (l Loop) Check(lanes int) error {
	if l.Iterations < 0 || l.Unrolled < 0 || l.Unrolled > mostAccesses ||
		l.Iterations*len(l.Patterns) > mostAccesses {
		return fmt.Errorf("a loop of %d iterations with %d loads each, %d iterations together: want at most %d "+
			"loads", l.Iterations, len(l.Patterns), l.Unrolled, mostAccesses)
	}
	for _, a := range l.Patterns {
		if a.Width < 1 || min(a.First, a.Turn, a.Down, a.Across) < 0 ||
			max(a.First, a.Turn, a.Down, a.Across) > mostWords {
			return fmt.Errorf("pattern %+v is out of range", a)
		}
		if last := a.First + l.Iterations*a.Turn + lanes*(a.Down+a.Across); last > mostWords {
			return fmt.Errorf("pattern %+v reaches beyond word %d", a, mostWords)
		}
	}
	return nil
}

// Run executes the loads in clauses. Loads of several wavefronts reach memory in
// the order in which they are issued. The run's regime is one of this package.
func (l Loop) Run(w *coordinator.Front) {
	words, timing := make([]int, w.Lanes), w.Timing.(reader)
	clause := min(w.Clause, max(1, l.Unrolled)*len(l.Patterns))
	loads, done := 0, w.Now()
	for t := range l.Iterations {
		for _, a := range l.Patterns {
			a.fill(t, words)
			issued, came := timing.read(w, words)
			w.Until(issued)
			done = max(done, came)
			if loads++; loads == clause {
				w.Until(done)
				loads = 0
			}
			w.Progress()
		}
	}
	w.Until(done)
}

// reader is a Timing for loads of known words, by lane.
type reader interface {
	// read returns when the wavefront can make another load, and when the words
	// have come.
	read(w *coordinator.Front, words []int) (issued, done int64)
}

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
	for l := 0; l < len(words); {
		word, same := words[l], 1 // lanes beside each other often want the same word
		for l+same < len(words) && words[l+same] == word {
			same++
		}
		l += same
		number, at := word/p.SegmentWords, len(p.lines)-1
		for at >= 0 && p.lines[at].number != number {
			at--
		}
		if at < 0 {
			at = len(p.lines)
			p.lines = append(p.lines, line{number: number})
		}
		wanted := &p.lines[at]
		wanted.lanes += same
		place := (word - number*p.SegmentWords) % len(wanted.counts)
		wanted.counts[place] += int8(same)
		wanted.highest = max(wanted.highest, int(wanted.counts[place]))
	}
	return p.lines
}

func (p *paths) read(w *coordinator.Front, words []int) (issued, done int64) {
	issued = p.Issue(w, 1)
	for i := range p.linesOf(words) {
		l := &p.lines[i]
		if p.Complete {
			done = max(done, p.slowLine(l, issued+p.latency))
		} else {
			done = max(done, p.fastLine(l, issued))
		}
	}
	return issued, p.Return(w, coordinator.LoadAccess, done)
}

// fastLine is what a line takes on the FastPath, however many lanes want it.
func (p *paths) fastLine(l *line, issued int64) int64 {
	channel := &p.Channels[p.Channel(l.number*p.SegmentWords)]
	if p.cache.holds(l.number) {
		return channel.Take(issued+p.cache.latency, p.cache.line) + p.cache.latency
	}
	return channel.Take(issued+p.Latency, p.Segment) + p.Latency
}

// cache is an L2 cache that keeps the lines it has loaded while there is room.
type cache struct {
	lines         []uint64 // a bit each
	room          int      // for so many more
	latency, line int64    // ticks: from a compute unit to the cache; a channel is busy per line
}

func newCache(d *device.Profile) *cache {
	line := d.Paths.Segment.Value
	return &cache{
		room:    int(d.Memory.L2Bytes.Value / line),
		latency: coordinator.Ticks(d.Global.LoadLatency.Value) / 2,
		line: coordinator.Ticks(line * d.Core.Clock.Value * 1e6 * d.Global.Slices.Value /
			d.Memory.L2Rate.Value),
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
	moved := p.slow[p.Channel(l.number*p.SegmentWords)].Take(arrive,
		int64(float64(4*l.lanes)*p.byteTime))
	if l.highest > 1 {
		held := p.held[l.number]
		moved = max(moved, held.Take(arrive, int64(l.highest)*p.copySame))
		p.held[l.number] = held
	}
	return moved + p.back()
}
