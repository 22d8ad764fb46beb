package training

import (
	"context"
	"runtime"
	"sync"
)

// each computes work(0) to work(n-1) on several goroutines, 0 workers meaning
// GOMAXPROCS, and hands the results to take, one at a time, in the order in
// which they are finished. After the first error, the context's among them, no
// work is begun, and what is under way is still taken.
func each[T any](ctx context.Context, n, workers int, work func(i int) (T, error), take func(i int, v T) error) error {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type result struct {
		i     int
		value T
		err   error
	}
	jobs, results := make(chan int), make(chan result)
	go func() {
		defer close(jobs)
		for i := 0; i < n && ctx.Err() == nil; i++ {
			select {
			case jobs <- i:
			case <-ctx.Done():
			}
		}
	}()
	var crew sync.WaitGroup
	for range min(workers, n) {
		crew.Go(func() {
			for i := range jobs {
				v, err := work(i)
				results <- result{i, v, err}
			}
		})
	}
	go func() { crew.Wait(); close(results) }()
	for r := range results {
		if r.err == nil {
			r.err = take(r.i, r.value)
		}
		if r.err != nil {
			cancel(r.err)
		}
	}
	return context.Cause(ctx)
}
