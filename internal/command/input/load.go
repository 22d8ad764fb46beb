package input

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
)

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
