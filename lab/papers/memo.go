package papers

import (
	"maps"
	"sync"
)

// Memo holds simulated times, and other numbers that take long to find, by the names of the runs
// that find them. It may be used by several goroutines.
type Memo struct {
	mu    sync.Mutex
	times map[string]float64
	// Record, where not nil, is told of a time that was not known.
	Record func(run string, time float64) error
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
		err = o.Memo.add(run, time)
	}
	return time, err
}

func (m *Memo) add(run string, time float64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.times[run] = time
	if m.Record == nil {
		return nil
	}
	return m.Record(run, time)
}
