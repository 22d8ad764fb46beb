package reproduce

import (
	"context"
	"sync"
)

// share does tasks 0 to tasks-1 on the cores of the options and stops at the
// first error. Each core makes its own worker, which is the function that does
// one task; results go where the task's number says, so that they do not
// depend on the cores.
func (o Options) share(ctx context.Context, tasks int, worker func() (func(task int) error, error)) error {
	s := sharing{ctx: ctx, tasks: tasks, progress: o.Progress}
	var cores sync.WaitGroup
	for range min(o.Cores, tasks) {
		cores.Go(func() { s.fail(s.work(worker)) })
	}
	cores.Wait()
	return s.err
}

type sharing struct {
	ctx      context.Context
	tasks    int
	progress func(done, total float64)

	mu         sync.Mutex
	next, done int
	err        error
}

func (s *sharing) work(worker func() (func(task int) error, error)) error {
	do, err := worker()
	if err != nil {
		return err
	}
	for {
		task, ok := s.take()
		if !ok {
			return s.ctx.Err()
		}
		if err := do(task); err != nil {
			return err
		}
		s.report()
	}
}

// take hands out the next task, or none once there is an error.
func (s *sharing) take() (task int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.next == s.tasks || s.ctx.Err() != nil {
		return 0, false
	}
	s.next++
	return s.next - 1, true
}

func (s *sharing) report() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	s.progress(float64(s.done), float64(s.tasks))
}

func (s *sharing) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}
