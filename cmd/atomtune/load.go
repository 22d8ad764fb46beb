package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/atomtune/atomtune/datasets"
)

// loaded is an index stream in memory.
type loaded struct {
	name    string
	indices []uint32
	bins    uint64
	cut     bool // the input goes on after the indices
}

// load reads one input, up to limit updates if that is not 0. Where the input
// does not say how many targets there are, it is one more than the highest
// index that was read.
func (e *env) load(path string, in datasets.Options, limit uint64) (s loaded, err error) {
	r, err := open(path, in)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	size, _ := r.Size()
	progress := e.newBar("reading "+r.Name(), size, unitsBytes)
	defer progress.stop()
	chunk := make([]uint32, chunkUpdates)
	for !s.cut {
		n, err := r.Next(chunk)
		if err == io.EOF {
			break
		}
		if err != nil {
			return s, err
		}
		s.indices = append(s.indices, chunk[:n]...)
		s.cut = limit > 0 && uint64(len(s.indices)) > limit
		progress.set(r.BytesRead())
	}
	if s.cut {
		s.indices = s.indices[:limit]
	}
	s.name, s.bins = r.Name(), r.Bins()
	if s.bins == 0 {
		s.bins = uint64(slices.Max(s.indices)) + 1
	}
	return s, nil
}

// warnings says what the reader of a simulation should know of its stream.
func (s loaded) warnings() []string {
	list := []string{}
	if s.cut {
		list = append(list, fmt.Sprintf("%s: only the first %d updates are simulated", s.name, len(s.indices)))
	}
	if len(s.indices) > slowUpdates {
		list = append(list, fmt.Sprintf("%s: %d updates take long to simulate; --max-updates simulates the first ones only", s.name, len(s.indices)))
	}
	return list
}
