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
}

// Observe measures one input as Measure does, and hands each chunk of it to others besides, who only
// read it.
func Observe(e *command.Env, path string, in StreamFlags, how collision.Options,
	others func(chunk []uint32)) (o Observed, err error) {
	if err := how.Validate(); err != nil {
		return o, err
	}
	var stats collision.Stats
	o.StreamDocument, err = read(e, path, in.Options, func(r source) (err error) {
		how.Bins, how.Padded = r.Bins(), in.Options.Ignore != ""
		o.Accumulator, err = collision.NewAccumulator(how)
		return err
	}, func(chunk []uint32) error {
		others(chunk)
		return o.Accumulator.Add(chunk)
	}, func() (err error) {
		stats, err = o.Accumulator.Stats()
		return err
	})
	o.Stats = stats
	return o, err
}
