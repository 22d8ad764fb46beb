package collision

import (
	"cmp"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/collision/internal/kernel"
	"github.com/atomtune/atomtune/collision/reuse"
)

// pendingMax is about the most updates that wait to be measured together.
const pendingMax = 1 << 20

// Accumulator measures an index stream that comes in chunks. Its results do
// not depend on how the stream is cut. It is not safe for concurrent use.
//
// Exact statistics take 4 bytes for each target, or less where only few of them occur, at most
// twice that while a page of counters is set up, and some tens of MiB; beyond 2^24 targets up to 0.3 GiB
// more, of updates that wait to be counted. A sample takes 4·BlockSize
// bytes for each block that it keeps, and Stats of a sample up to 16 times as many while it works. How rows are
// used again takes the stream, and Stats 14 bytes for each update and 40 for each row while it works.
type Accumulator struct {
	opt     Options
	updates uint64 // and padding
	ignored uint64 // padding
	highest uint32 // highest index
	pending []uint32
	full    int // pending updates, complete blocks, that are measured together
	counted int // updates at the front of pending that counts already holds
	sums    kernel.Sums
	counts  tally
	workers []*worker
	round   round
	// sample holds the blocks of a sample, else those behind HotWarps and HotSegments.
	sample *sample
	err    error    // the first in a sample; nothing is added after it
	rows   []uint32 // the stream, where Options.Rows asks how rows are used again
}

// NewAccumulator returns an accumulator of an empty stream. The error wraps ErrOptions.
func NewAccumulator(opt Options) (*Accumulator, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	opt = opt.normal()
	a := &Accumulator{opt: opt, workers: make([]*worker, opt.Workers)}
	for i := range a.workers {
		a.workers[i] = new(worker)
	}
	a.round.most = roundTasks
	a.full = max(pendingMax/opt.BlockSize, 1) * opt.BlockSize
	opt.Sample = cmp.Or(opt.Sample, hotSampleSize(opt.BlockSize))
	a.sample = &sample{opt: opt, before: -1}
	return a, nil
}

// Add appends a chunk of any length to the stream. An index that is not below Options.Bins is an
// error that wraps ErrIndex and names the update, counted from 0 over the whole stream, and the
// index; none of the chunk is added then. Of a sampled stream only the updates of kept blocks are
// checked, by the time of Stats, and such an error is final: every later call returns it.
func (a *Accumulator) Add(indices []uint32) error {
	if a.opt.Sample == 0 {
		highest := a.highestIndex(indices)
		if a.opt.Bins > 0 && uint64(highest) >= a.opt.Bins {
			return a.opt.check(indices, a.updates)
		}
		a.highest = max(a.highest, highest)
	}
	a.updates += uint64(len(indices))
	if a.opt.Rows {
		a.rows = append(a.rows, indices...)
	}
	if a.opt.Padded {
		a.ignored += uint64(len(indices)) - countActive(indices)
	}
	block := a.opt.BlockSize
	for len(indices) > 0 && a.err == nil {
		space := a.full - len(a.pending)
		if len(indices) >= a.full { // at a block border they are measured where they stand
			space = (block - len(a.pending)%block) % block
		}
		if space == 0 {
			a.flush()
			n := min(len(indices)/block*block, a.round.most*taskLength(block))
			a.measure(indices[:n], 0)
			indices = indices[n:]
			continue
		}
		n := min(len(indices), space)
		a.pending = append(a.pending, indices[:n]...)
		indices = indices[n:]
		if len(a.pending) == a.full {
			a.flush()
		}
	}
	return a.err
}

// Bytes is the memory that the counts of targets take, which grows with the targets that occur.
func (a *Accumulator) Bytes() uint64 { return a.counts.bytes() }

func (a *Accumulator) highestIndex(indices []uint32) uint32 {
	highest := make([]uint32, (len(indices)+pendingMax-1)/pendingMax)
	kernel.Parallel(a.workers, len(highest), func(_ *worker, i int) {
		lo := i * pendingMax
		highest[i] = a.opt.highest(indices[lo:min(lo+pendingMax, len(indices))])
	})
	return kernel.Highest(highest)
}

func (a *Accumulator) flush() {
	if whole := len(a.pending) / a.opt.BlockSize * a.opt.BlockSize; whole > 0 {
		a.measure(a.pending[:whole], a.counted)
		a.pending = a.pending[:copy(a.pending, a.pending[whole:])]
		a.counted = 0
	}
}

// measure takes complete blocks, whose first skip updates are counted already.
func (a *Accumulator) measure(keys []uint32, skip int) {
	if a.opt.Sample == 0 {
		a.counts.grow(a.highest, a.workers)
		a.round.run(a, keys, skip)
	}
	a.err = a.sample.take(keys)
}

// Stats returns the statistics of the stream so far, to which more can be
// added afterwards. An empty stream is an error that wraps ErrEmpty.
func (a *Accumulator) Stats() (Stats, error) {
	if a.updates == a.ignored {
		return Stats{}, ErrEmpty
	}
	if a.err == nil {
		a.flush()
	}
	if a.err != nil {
		return Stats{}, a.err
	}
	if a.opt.Sample > 0 {
		return a.sample.stats(a.pending, a.ignored)
	}
	a.countPending()
	k := a.workers[0].ready(a.opt)
	total := a.sums
	total.Append(k.Measure(a.pending), a.opt.Padded)
	c, most := a.summarize()
	runs := total.Totals[kernel.Changes] // and the first
	if !(a.opt.Padded && total.First == Inactive) {
		runs++
	}
	updates := a.updates - a.ignored
	s := Stats{Updates: updates, Ignored: a.ignored, Unique: c.unique,
		Bins:     cmp.Or(a.opt.Bins, uint64(a.highest)+1),
		WarpSize: a.opt.WarpSize, BlockSize: a.opt.BlockSize,
		AllLevel: float64(updates) / float64(c.unique), Runs: runs,
		MaxFrequency: c.highest, MaxChunkFrequency4: c.highestChunk4,
		MaxChunkFrequency8: c.highestChunk8}
	for _, m := range means {
		*m.of(&s) = m.total(&total, &s) / m.per.number(&s)
	}
	h := hotSample{warpSize: a.opt.WarpSize, padded: a.opt.Padded,
		blocks: a.updates / uint64(a.opt.BlockSize),
		last:   a.pending, targets: s.Unique, hottest: c.hottest, counts: &a.counts, kernel: k}
	for _, b := range a.sample.blocks() {
		h.kept = append(h.kept, b.keys)
	}
	h.estimate(&s)
	s.boundHotWarps()
	most.fill(&s, &h, a.opt, a.workers)
	frequents.Put(most)
	if a.opt.Rows {
		return s, a.measureRows(&s)
	}
	return s, nil
}

// measureRows adds how rows are used again, once all pages are summarized.
func (a *Accumulator) measureRows(s *Stats) error {
	if s.Bins > Inactive || a.updates > math.MaxUint32 {
		return fmt.Errorf("%w: %d updates of %d rows, want less than 2^32 of each", ErrRows, a.updates, s.Bins)
	}
	s.Rows = reuse.Measure(a.rows, s.Bins, &a.counts)
	return nil
}

// countPending counts the updates that wait for their block.
func (a *Accumulator) countPending() {
	a.counts.grow(a.highest, a.workers)
	for ; a.counted < len(a.pending); a.counted++ {
		key := a.pending[a.counted : a.counted+1]
		if a.opt.Padded && key[0] == Inactive {
			continue
		}
		a.counts.pages[key[0]>>a.counts.bits].count(key, &a.workers[0].sorter)
	}
}

// summarize returns the summary of all counts and the most frequent targets.
func (a *Accumulator) summarize() (total summary, most *frequent) {
	pages := a.counts.pages
	parts := make([]summary, len(pages))
	kernel.Parallel(a.workers, len(pages), func(w *worker, i int) {
		if w.frequent == nil {
			w.frequent = newFrequent()
		}
		parts[i] = pages[i].summarize(w)
	})
	for _, part := range parts {
		total.join(part)
	}
	for _, w := range a.workers {
		switch {
		case w.frequent == nil:
			continue
		case most == nil:
			most = w.frequent
		default:
			most.join(w.frequent)
			frequents.Put(w.frequent)
		}
		w.frequent = nil
	}
	return total, most
}

// Analyze returns the collision statistics of an index stream, which it only
// reads. Errors wrap ErrOptions, ErrEmpty or ErrIndex.
func Analyze(indices []uint32, opt Options) (Stats, error) {
	a, err := NewAccumulator(opt)
	if err != nil {
		return Stats{}, err
	}
	if err := a.Add(indices); err != nil {
		return Stats{}, err
	}
	return a.Stats()
}

type worker struct {
	kernel   *kernel.Kernel // nil until used
	sorter   sorter
	frequent *frequent // of the pages that it has summarized; nil: none
}

func (w *worker) ready(o Options) *kernel.Kernel {
	if w.kernel == nil {
		w.kernel = o.kernel()
	}
	return w.kernel
}
