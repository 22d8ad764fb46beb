package input

import (
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/command"
)

// Observed is a measured stream with what it was measured by.
type Observed struct {
	StreamDocument
	// Accumulator holds the whole stream, and can tell more of it than its statistics.
	Accumulator *collision.Accumulator
	Indices     []uint32 // where they are rows
}

// Loaded is the stream in memory, where indices are rows.
func (o *Observed) Loaded(in StreamFlags) Loaded {
	return Loaded{o.StreamDocument, o.Indices, o.Bins, in.Options.Ignore != ""}
}

// Observe measures one input as Measure does, and hands each chunk of it to others besides, who only
// read it.
func Observe(e *command.Env, path string, in StreamFlags, how collision.Options,
	others func(chunk []uint32) error) (o Observed, err error) {
	m, err := newMeasuring(e, in, how, false)
	if err != nil {
		return o, err
	}
	o.StreamDocument, err = read(e, path, in, m.begin, func(chunk []uint32) error {
		if err := others(chunk); err != nil {
			return err
		}
		return m.each(chunk)
	}, m.end)
	o.Stats, o.Width, o.Indices, o.Accumulator = m.stats, m.rows.Width, m.rows.indices, m.acc
	return o, err
}
