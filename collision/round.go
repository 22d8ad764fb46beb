package collision

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

// round measures and counts a stretch of the stream in two steps. In the
// first, each task measures the collisions of its part and orders its targets
// by page; in the second, each page counts the targets that all tasks found
// for it. A page is written by one worker at a time and stays in its cache.
// A stream of few targets has one page and needs no order.
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
	r.allocate(len(keys), tasks, several)
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

// allocate provides for so many updates and tasks; to order targets by page
// takes more.
func (r *round) allocate(updates, tasks int, ordered bool) {
	if len(r.results) < tasks {
		r.results = make([]sums, tasks)
	}
	if !ordered {
		return
	}
	if len(r.ends) < tasks {
		r.ends = make([][digits]uint32, tasks)
	}
	if len(r.ordered) < updates {
		r.ordered = make([]uint32, updates)
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

// taskLength returns the number of updates of a task, a multiple of the block
// size.
func taskLength(block int) int { return max(taskUpdates/block, 1) * block }
