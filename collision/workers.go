package collision

import (
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

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

// parallel runs f(worker, task) for all tasks, at most one task per worker at
// a time.
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
