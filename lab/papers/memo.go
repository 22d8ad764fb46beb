package papers

import (
	"maps"
	"sync"
)

// Memo holds simulated times by the names of their runs. It may be used by several
// goroutines.
type Memo struct {
	mu    sync.Mutex
	times map[string]float64
}

// NewMemo returns a memo that knows these times.
func NewMemo(known map[string]float64) *Memo {
	m := &Memo{times: map[string]float64{}}
	maps.Copy(m.times, known)
	return m
}

// Times returns all times that were asked for or known.
func (m *Memo) Times() map[string]float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.times)
}

// Simulated returns the time of a run: what Memo holds, else what simulate returns.
func (o Options) Simulated(run string, simulate func() (float64, error)) (float64, error) {
	if o.Memo == nil {
		return simulate()
	}
	o.Memo.mu.Lock()
	time, ok := o.Memo.times[run]
	o.Memo.mu.Unlock()
	if ok {
		return time, nil
	}
	time, err := simulate()
	if err == nil {
		o.Memo.mu.Lock()
		o.Memo.times[run] = time
		o.Memo.mu.Unlock()
	}
	return time, err
}
