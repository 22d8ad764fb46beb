package input

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
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

// slowUpdates is the length from which a simulation takes long.
const slowUpdates = 16_000_000

// Loaded is an index stream in memory.
type Loaded struct {
	Name    string
	Indices []uint32
	Bins    uint64
	cut     bool // the input goes on after the indices
}

// Load reads one input, up to limit updates if that is not 0. Where the input
// does not say how many targets there are, it is one more than the highest
// index that was read.
func Load(e *command.Env, path string, in datasets.Options, limit uint64) (s Loaded, err error) {
	r, err := Open(path, in)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	size, _ := r.Size()
	progress := report.NewBar(e, "reading "+r.Name(), size, report.UnitsBytes)
	defer progress.Stop()
	chunk := make([]uint32, ChunkUpdates)
	for !s.cut {
		n, err := r.Next(chunk)
		if err == io.EOF {
			break
		}
		if err != nil {
			return s, err
		}
		s.Indices = append(s.Indices, chunk[:n]...)
		s.cut = limit > 0 && uint64(len(s.Indices)) > limit
		progress.Set(r.BytesRead())
	}
	if s.cut {
		s.Indices = s.Indices[:limit]
	}
	s.Name, s.Bins = r.Name(), r.Bins()
	if s.Bins == 0 {
		s.Bins = uint64(slices.Max(s.Indices)) + 1
	}
	return s, nil
}

// Warnings says what the reader of a simulation should know of its stream.
func (s Loaded) Warnings() []string {
	list := []string{}
	if s.cut {
		list = append(list, fmt.Sprintf("%s: only the first %d updates are simulated", s.Name, len(s.Indices)))
	}
	if len(s.Indices) > slowUpdates {
		list = append(list, fmt.Sprintf("%s: %d updates take long to simulate; --max-updates simulates the first ones only", s.Name, len(s.Indices)))
	}
	return list
}
