package kernel

import (
	"sync"
	"sync/atomic"
)

// Parallel runs f(worker, task) for all tasks, at most one task per worker at a time. A panic of one
// goes on in the caller.
func Parallel[W any](workers []W, tasks int, f func(worker W, task int)) {
	n := min(len(workers), tasks)
	if n <= 1 {
		for task := range tasks {
			f(workers[0], task)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	var failed atomic.Pointer[any]
	for _, w := range workers[:n] {
		group.Go(func() {
			defer func() {
				if fault := recover(); fault != nil {
					failed.Store(&fault)
				}
			}()
			for task := int(next.Add(1)) - 1; task < tasks; task = int(next.Add(1)) - 1 {
				f(w, task)
			}
		})
	}
	group.Wait()
	if fault := failed.Load(); fault != nil {
		panic(*fault)
	}
}
