package collision

import (
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// pendingMax is about the number of updates that wait to be measured together
// when a stream comes in small chunks.
const pendingMax = 1 << 20

// Accumulator measures an index stream that comes in chunks. Its results do
// not depend on how the stream is cut. It is not safe for concurrent use.
//
// Exact statistics take 4 bytes for each target, or less where only few of
// them occur, at most twice that while a page of counters is set up, and some
// tens of MiB. A sample takes 4·BlockSize bytes for each block that it keeps, and
// Stats of a sample up to 14 times as many while it works.
type Accumulator struct {
	opt     Options
	updates uint64
	highest uint32 // highest index
	pending []uint32
	counted int // updates at the front of pending that counts already holds
	sums    sums
	counts  *tally
	workers []*worker
	round   round
	sample  *sample // nil for exact statistics
	hot     *sample // complete blocks behind HotWarps and HotSegments; nil where there is a sample
}

// NewAccumulator returns an accumulator of an empty stream. The error wraps ErrOptions.
func NewAccumulator(opt Options) (*Accumulator, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	opt = opt.normal()
	a := &Accumulator{opt: opt, counts: newTally(), workers: make([]*worker, opt.Workers)}
	for i := range a.workers {
		a.workers[i] = new(worker)
	}
	if opt.Sample > 0 {
		a.sample = newSample(opt)
		return a, nil
	}
	of := opt
	of.Sample = hotSampleSize(opt.BlockSize)
	a.hot = newSample(of)
	return a, nil
}

// Add appends a chunk of any length to the stream. An index that is not below Options.Bins is an
// error that wraps ErrIndex and names the update, counted from 0 over the whole stream, and the
// index; none of the chunk is added then. Of a sampled stream only the updates of kept blocks are
// checked, and such an error is final: every later call returns it.
func (a *Accumulator) Add(indices []uint32) error {
	if a.sample != nil {
		err := a.sample.add(indices, a.updates)
		if err == nil {
			a.updates += uint64(len(indices))
		}
		return err
	}
	if err := a.check(indices); err != nil {
		return err
	}
	a.updates += uint64(len(indices))
	block, full := a.opt.BlockSize, a.pendingFull()
	limit := roundTasks * taskLength(block)
	for len(indices) > 0 {
		plenty := len(indices) >= full
		if plenty && len(a.pending)%block == 0 {
			a.flush()
			n := min(len(indices)/block*block, limit)
			a.measure(indices[:n], 0)
			indices = indices[n:]
			continue
		}
		space := full - len(a.pending)
		if plenty {
			space = block - len(a.pending)%block
		}
		n := min(len(indices), space)
		a.pending = append(a.pending, indices[:n]...)
		indices = indices[n:]
		if len(a.pending) == full {
			a.flush()
		}
	}
	return nil
}

// pendingFull returns the length, a multiple of the block size, at which
// pending updates are measured.
func (a *Accumulator) pendingFull() int {
	return max(pendingMax/a.opt.BlockSize, 1) * a.opt.BlockSize
}

// check notes the highest index and reports the first that is out of range.
func (a *Accumulator) check(indices []uint32) error {
	highest := a.highestIndex(indices)
	if a.opt.Bins > 0 && uint64(highest) >= a.opt.Bins {
		return a.opt.check(indices, a.updates)
	}
	a.highest = max(a.highest, highest)
	return nil
}

// highestIndex returns the highest of indices.
func (a *Accumulator) highestIndex(indices []uint32) uint32 {
	tasks := (len(indices) + pendingMax - 1) / pendingMax
	if tasks <= 1 {
		return highestIndex(indices)
	}
	highest := make([]uint32, tasks)
	parallel(a.workers, tasks, func(_ *worker, i int) {
		lo := i * pendingMax
		highest[i] = highestIndex(indices[lo:min(lo+pendingMax, len(indices))])
	})
	return highestIndex(highest)
}

// flush measures the complete blocks among the pending updates.
func (a *Accumulator) flush() {
	whole := len(a.pending) / a.opt.BlockSize * a.opt.BlockSize
	if whole == 0 {
		return
	}
	a.measure(a.pending[:whole], a.counted)
	rest := copy(a.pending, a.pending[whole:])
	a.pending = a.pending[:rest]
	a.counted = 0
}

// measure takes complete blocks, whose first skip updates are counted already.
func (a *Accumulator) measure(keys []uint32, skip int) {
	a.counts.grow(a.highest, &a.workers[0].radix)
	a.round.run(a, keys, skip)
	a.hot.takeBlocks(keys)
}

// Stats returns the statistics of the stream so far, to which more can be
// added afterwards. An empty stream is an error that wraps ErrEmpty.
func (a *Accumulator) Stats() (Stats, error) {
	if a.updates == 0 {
		return Stats{}, ErrEmpty
	}
	if a.sample != nil {
		return a.sample.stats(a.updates)
	}
	a.flush()
	a.countPending()
	total := a.sums
	total.append(a.workers[0].ready(a.opt).measureLast(a.pending))
	c := a.summarize()
	s := total.stats(a.opt, c)
	a.estimateHot(&s, c.hottest)
	return s, nil
}

// estimateHot fills in the two statistics that a sample gives; the logs of all
// pages must be counted.
func (a *Accumulator) estimateHot(s *Stats, hottest uint32) {
	h := hotSample{
		warpSize: a.opt.WarpSize, blocks: a.updates / uint64(a.opt.BlockSize),
		kept: a.hot.kept, last: a.pending, targets: s.Unique,
		hottest: hottest, counts: a.counts, vector: a.workers[0].ready(a.opt).vector,
	}
	if uint64(len(h.kept)) < h.blocks {
		h.kept = a.hot.blocks()
	}
	h.estimate(s)
}

// countPending counts the updates that wait for the rest of their block.
func (a *Accumulator) countPending() {
	r := &a.workers[0].radix
	a.counts.grow(a.highest, r)
	for ; a.counted < len(a.pending); a.counted++ {
		key := a.pending[a.counted : a.counted+1]
		a.counts.pages[key[0]>>a.counts.bits].count(key, r)
	}
}

// summarize returns the summary of all counts.
func (a *Accumulator) summarize() summary {
	pages := a.counts.pages
	parts := make([]summary, len(pages))
	parallel(a.workers, len(pages), func(w *worker, i int) {
		parts[i] = pages[i].summarize(&w.radix)
	})
	total := summary{bins: a.opt.Bins}
	if total.bins == 0 {
		total.bins = uint64(a.highest) + 1
	}
	for _, part := range parts {
		total.join(part)
	}
	return total
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

const (
	// taskUpdates is about the number of updates that a worker takes at once.
	// No power of two: the targets of 256 pages, evenly spread, are then
	// written 17 cache lines apart, so that they fall into many sets of the cache.
	taskUpdates = 17 << 12
	// roundTasks is the number of tasks between two rounds of counting. It
	// bounds the memory for targets ordered by page to 34 MiB; with less, the
	// counters of many pages are fetched from memory for few updates each.
	roundTasks = 128
)

// round measures and counts a stretch of the stream in two steps. In the first, each task
// measures the collisions of its part and orders its targets by page; in the second, each page
// counts the targets that all tasks found for it. A page is written by one worker at a time and
// stays in its cache. A stream of few targets has one page and needs no order.
type round struct {
	ordered []uint32
	ends    [][digits]uint32
	results []sums
}

// run takes a stretch that begins at a block border and has no more than
// roundTasks tasks. The first skip targets have been counted before.
func (r *round) run(a *Accumulator, keys []uint32, skip int) {
	task := taskLength(a.opt.BlockSize)
	tasks := (len(keys) + task - 1) / task
	several := len(a.counts.pages) > 1
	r.results = slices.Grow(r.results[:0], tasks)[:tasks]
	if several { // to order targets by page
		r.ends = slices.Grow(r.ends[:0], tasks)[:tasks]
		r.ordered = slices.Grow(r.ordered[:0], len(keys))[:len(keys)]
	}
	parallel(a.workers, tasks, func(w *worker, i int) {
		lo, hi := i*task, min((i+1)*task, len(keys))
		r.results[i] = w.ready(a.opt).measure(keys[lo:hi])
		if lo = min(max(lo, skip), hi); several {
			r.ends[i] = partition(r.ordered[lo:hi], keys[lo:hi], a.counts.bits)
		}
	})
	for i := range tasks {
		a.sums.append(r.results[i])
	}
	if several {
		r.countPages(a, tasks, task, len(keys), skip)
	} else {
		a.counts.pages[0].count(keys[skip:], &a.workers[0].radix)
	}
}

// countPages is the second step.
func (r *round) countPages(a *Accumulator, tasks, task, n, skip int) {
	parallel(a.workers, len(a.counts.pages), func(w *worker, p int) {
		for i := range tasks {
			lo, hi := i*task, min((i+1)*task, n)
			part := r.ordered[min(max(lo, skip), hi):hi]
			begin := uint32(0)
			if p > 0 {
				begin = r.ends[i][p-1]
			}
			if end := r.ends[i][p]; end > begin {
				a.counts.pages[p].count(part[begin:end], &w.radix)
			}
		}
	})
}

// taskLength returns the number of updates of a task, a multiple of the block size.
func taskLength(block int) int { return max(taskUpdates/block, 1) * block }

// worker is what one goroutine keeps from task to task.
type worker struct {
	kernel *kernel // nil until used
	radix  radix
}

// ready returns the worker's kernel.
func (w *worker) ready(o Options) *kernel {
	if w.kernel == nil {
		w.kernel = newKernel(o)
	}
	return w.kernel
}

// parallel runs f(worker, task) for all tasks, at most one task per worker at a time.
func parallel(workers []*worker, tasks int, f func(w *worker, task int)) {
	n := min(len(workers), tasks)
	if n <= 1 {
		for task := range tasks {
			f(workers[0], task)
		}
		return
	}
	var next atomic.Int64
	var group errgroup.Group
	for _, w := range workers[:n] {
		group.Go(func() error {
			for task := int(next.Add(1)) - 1; task < tasks; task = int(next.Add(1)) - 1 {
				f(w, task)
			}
			return nil
		})
	}
	_ = group.Wait() // no task fails
}

// highestIndex returns the highest of keys.
func highestIndex(keys []uint32) uint32 {
	var a, b, c, d uint32
	for ; len(keys) >= 4; keys = keys[4:] {
		a, b, c, d = max(a, keys[0]), max(b, keys[1]), max(c, keys[2]), max(d, keys[3])
	}
	for _, key := range keys {
		a = max(a, key)
	}
	return max(a, b, c, d)
}
