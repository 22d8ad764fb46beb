package collision

import (
	"slices"

	"github.com/atomtune/atomtune/collision/internal/kernel"
)

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
// stays in its cache.
type round struct {
	most    int      // tasks
	active  []uint32 // of a padded stretch
	ordered []uint32
	ends    [][digits]uint32
	results []kernel.Sums
}

// run takes a stretch that begins at a block border, whose first skip targets are counted already.
func (r *round) run(a *Accumulator, keys []uint32, skip int) {
	task := taskLength(a.opt.BlockSize)
	tasks := (len(keys) + task - 1) / task
	r.results = slices.Grow(r.results[:0], tasks)[:tasks]
	targets := keys[skip:]
	if a.opt.Padded {
		r.active = kernel.AppendActive(r.active[:0], targets)
		targets = r.active
	}
	r.ends = slices.Grow(r.ends[:0], tasks)[:tasks]
	r.ordered = slices.Grow(r.ordered[:0], len(targets))[:len(targets)]
	part := func(of []uint32, i int) []uint32 {
		return of[min(i*task, len(of)):min((i+1)*task, len(of))]
	}
	kernel.Parallel(a.workers, tasks, func(w *worker, i int) {
		r.results[i] = w.ready(a.opt).Measure(part(keys, i))
		r.ends[i] = [digits]uint32{}
		partition(part(r.ordered, i), part(targets, i), a.counts.bits, r.ends[i][:])
	})
	for i := range tasks {
		a.sums.Append(r.results[i], a.opt.Padded)
	}
	found := func(i, p int) []uint32 { // by a task for a page
		begin := uint32(0)
		if p > 0 {
			begin = r.ends[i][p-1]
		}
		return part(r.ordered, i)[begin:r.ends[i][p]]
	}
	kernel.Parallel(a.workers, len(a.counts.pages), func(w *worker, p int) {
		all := 0
		for i := range tasks {
			all += len(found(i, p))
		}
		a.counts.pages[p].expect(all)
		for i := range tasks {
			if keys := found(i, p); len(keys) > 0 {
				a.counts.pages[p].count(keys, &w.sorter)
			}
		}
	})
	a.counts.countLogs(a.workers, maxLogged)
}

func taskLength(block int) int { return max(taskUpdates/block, 1) * block }

const (
	digitBits = 8 // of the number of a page
	digits    = 1 << digitBits
)

// partition copies keys to dst ordered by the digit that begins at bit shift, equal digits in their
// old order. There is an end for each digit, a power of two; each is 0 before, and says afterwards
// where the digit ends. Neighbours of one digit are moved together: each would wait for the end that
// the one before has written.
func partition(dst, keys []uint32, shift uint, ends []uint32) {
	shift &= 31
	mask := uint32(len(ends) - 1)
	for rest := keys; len(rest) > 0; {
		part := rest[:min(together, len(rest))]
		rest = rest[len(part):]
		if kernel.Alike(part, mask<<shift) {
			ends[part[0]>>shift&mask] += uint32(len(part))
			continue
		}
		for _, key := range part {
			ends[key>>shift&mask]++
		}
	}
	var sum uint32
	for d, n := range ends {
		ends[d] = sum
		sum += n
	}
	for len(keys) > 0 {
		part := keys[:min(together, len(keys))]
		keys = keys[len(part):]
		if kernel.Alike(part, mask<<shift) {
			end := &ends[part[0]>>shift&mask]
			*end += uint32(copy(dst[*end:], part))
			continue
		}
		for _, key := range part {
			end := &ends[key>>shift&mask]
			dst[*end] = key
			*end++
		}
	}
}

// together is how many neighbours are looked at for what they have in common.
const together = 64
