package experiment

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/coordinator"
)

// Loop is a loop of loads whose addresses are known: in each turn, all lanes load
// one word by each pattern.
type Loop struct {
	Turns    int
	Patterns []Pattern
	// Unrolled is of how many turns the loads are under way together, as far as a
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

// fill sets the words of a turn, by lane.
func (a Pattern) fill(turn int, words []int) {
	for l := range words {
		words[l] = a.First + turn*a.Turn + l/a.Width*a.Down + l%a.Width*a.Across
	}
}

// Check reports a loop that makes no sense.
func (l Loop) Check(lanes int) error {
	if l.Turns < 0 || l.Unrolled < 0 || l.Unrolled > mostAccesses ||
		l.Turns*len(l.Patterns) > mostAccesses {
		return fmt.Errorf("a loop of %d turns with %d loads each, %d turns together: want at most %d "+
			"loads", l.Turns, len(l.Patterns), l.Unrolled, mostAccesses)
	}
	for _, a := range l.Patterns {
		if a.Width < 1 || min(a.First, a.Turn, a.Down, a.Across) < 0 ||
			max(a.First, a.Turn, a.Down, a.Across) > mostWords {
			return fmt.Errorf("pattern %+v is out of range", a)
		}
		if last := a.First + l.Turns*a.Turn + lanes*(a.Down+a.Across); last > mostWords {
			return fmt.Errorf("pattern %+v reaches beyond word %d", a, mostWords)
		}
	}
	return nil
}

// Run executes the loads in clauses. Loads of several wavefronts reach memory in
// the order in which they are issued. The run's regime is one of this package.
func (l Loop) Run(w *coordinator.Front, p coordinator.Path) {
	words := make([]int, w.Lanes())
	pace := w.Pace().(reader)
	clause := min(w.Pace().Clause(), max(1, l.Unrolled)*len(l.Patterns))
	under, done := 0, w.Now()
	for t := range l.Turns {
		for _, a := range l.Patterns {
			a.fill(t, words)
			issued, came := pace.read(w, words, p)
			w.Until(issued)
			done = max(done, came)
			if under++; under == clause {
				w.Until(done)
				under = 0
			}
			w.Acts()
		}
	}
	w.Until(done)
}

// Paths is coordinator.Paths for kernels with a Loop. Cached lets the L2 cache
// serve what the FastPath loads once it holds it, at its own rate and without the
// time to DRAM. [elteir11] does not say whether the loads of its kernels are cached.
type Paths struct {
	coordinator.Paths
	Cached bool
}

// Start returns the queues of a run.
func (r Paths) Start(s *coordinator.Simulation) coordinator.Pace {
	q := r.Paths.Start(s).(*coordinator.Queues)
	p := &reads{Queues: q, held: map[int]coordinator.Server{}}
	if r.Cached {
		p.cache = newCache(s.Device())
	}
	return p
}

// reader is a Pace for loads of known words, by lane.
type reader interface {
	// read returns when the wavefront can make another load, and when the words
	// have come.
	read(w *coordinator.Front, words []int, p coordinator.Path) (issued, done int64)
}

// reads are the queues with what loads of known words need.
type reads struct {
	*coordinator.Queues
	lines []line                     // of the load at hand
	held  map[int]coordinator.Server // by line: until when its copies are made
	cache *cache                     // of the FastPath's lines; nil where loads are not cached
}

// line is what a load asks of one line of memory.
type line struct {
	number  int
	lanes   int      // that want a word of it
	highest int      // lanes on its most wanted word
	counts  [64]int8 // lanes by word
}

// linesOf groups the words of a load by the lines of the read path.
func (p *reads) linesOf(words []int) []line {
	p.lines = p.lines[:0]
	for _, word := range words {
		number, at := word/p.SegmentWords, len(p.lines)-1
		for at >= 0 && p.lines[at].number != number {
			at--
		}
		if at < 0 {
			at = len(p.lines)
			p.lines = append(p.lines, line{number: number})
		}
		l := &p.lines[at]
		l.lanes++
		place := word % p.SegmentWords % len(l.counts)
		l.counts[place]++
		l.highest = max(l.highest, int(l.counts[place]))
	}
	return p.lines
}

func (p *reads) read(w *coordinator.Front, words []int, path coordinator.Path) (issued,
	done int64) {
	issued = p.Issue(w)
	for i := range p.linesOf(words) {
		l := &p.lines[i]
		if path == coordinator.CompletePath {
			done = max(done, p.slowLine(l, issued+p.CompleteLatency))
		} else {
			done = max(done, p.fastLine(l, issued))
		}
	}
	p.Drain(done)
	return issued, done
}

// fastLine is what a line takes on the FastPath, however many lanes want it.
func (p *reads) fastLine(l *line, issued int64) int64 {
	channel := &p.Fast[p.Channel(l.number*p.SegmentWords)]
	if p.cache.holds(l.number) {
		return channel.Take(issued+p.cache.latency, p.cache.line) + p.cache.latency
	}
	return channel.Take(issued+p.FastLatency, p.Segment) + p.FastLatency
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
func (p *reads) slowLine(l *line, arrive int64) int64 {
	moved := p.Slow[p.Channel(l.number*p.SegmentWords)].Take(arrive,
		int64(float64(4*l.lanes)*p.SlowByte))
	if l.highest > 1 {
		held := p.held[l.number]
		moved = max(moved, held.Take(arrive, int64(l.highest)*p.CopySame))
		p.held[l.number] = held
	}
	return moved + p.CompleteLatency + 2*p.FastLatency
}
