package papers

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Share does tasks 0 to tasks-1 on the cores of the options and stops at the
// first error. Each core makes its own worker, which is the function that does
// one task; results go where the task's number says, so that they do not
// depend on the cores.
func (o Options) Share(
	ctx context.Context, tasks int, worker func() (do func(task int) error, err error),
) error {
	var (
		next   atomic.Int64
		report sync.Mutex
		done   float64
	)
	group, ctx := errgroup.WithContext(ctx)
	for range min(o.Cores, tasks) {
		group.Go(func() error {
			do, err := worker()
			if err != nil {
				return err
			}
			for ctx.Err() == nil {
				task := int(next.Add(1)) - 1
				if task >= tasks {
					return nil
				}
				if err := do(task); err != nil {
					return err
				}
				report.Lock()
				done++
				o.Progress(done, float64(tasks))
				report.Unlock()
			}
			return ctx.Err()
		})
	}
	return group.Wait()
}
