package collision

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

// NewAccumulator returns an accumulator of an empty stream. The error wraps
// ErrOptions.
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

// Add appends a chunk of any length to the stream. An index that is not below
// Options.Bins is an error that wraps ErrIndex and names the update, counted
// from 0 over the whole stream, and the index; none of the chunk is added
// then. Of a sampled stream only the updates of kept blocks are checked, and
// such an error is final: every later call returns it.
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
// pages must be sorted.
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
