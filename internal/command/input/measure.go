package input

import (
	"errors"
	"fmt"
	"io"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
)

// ChunkUpdates is how many updates are read and measured at a time.
const ChunkUpdates = 1 << 20

// MeasureAll measures each input.
func MeasureAll(e *command.Env, paths []string, in StreamFlags, how collision.Options) ([]StreamDocument, error) {
	docs := make([]StreamDocument, len(paths))
	for i, path := range paths {
		var err error
		if docs[i], err = measure(e, path, in, how); err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// measure reads one input to its end.
func measure(e *command.Env, path string, in StreamFlags, how collision.Options) (doc StreamDocument, err error) {
	if err := how.Validate(); err != nil {
		return doc, err
	}
	start := e.Now()
	r, err := Open(path, in.Options)
	if err != nil {
		return doc, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	how.Bins = r.Bins()
	acc, err := collision.NewAccumulator(how)
	if err != nil {
		return doc, err
	}
	if err := feed(e, acc, r); err != nil {
		return doc, err
	}
	if doc.Stats, err = acc.Stats(); err != nil {
		return doc, fmt.Errorf("%s: %w", r.Name(), err)
	}
	doc.File, doc.Format = r.Name(), r.Format()
	doc.ElapsedS = e.Now().Sub(start).Seconds()
	if doc.ElapsedS > 0 {
		doc.BytesPerSecond = float64(r.BytesRead()) / doc.ElapsedS
	}
	return doc, nil
}

// feed adds all updates of the source to the accumulator.
func feed(e *command.Env, acc *collision.Accumulator, r source) error {
	size, _ := r.Size()
	progress := report.NewBar(e, "reading "+r.Name(), size, report.UnitsBytes)
	defer progress.Stop()
	chunk := make([]uint32, ChunkUpdates)
	for {
		n, err := r.Next(chunk)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := acc.Add(chunk[:n]); err != nil {
			return fmt.Errorf("%s: %w", r.Name(), err)
		}
		progress.Set(r.BytesRead())
	}
}
