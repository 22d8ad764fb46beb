package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/atomtune/atomtune/collision"
)

// chunkUpdates is how many updates are read and measured at a time.
const chunkUpdates = 1 << 20

// measureAll measures each input.
func (e *env) measureAll(paths []string, in streamFlags, how collision.Options) ([]streamDocument, error) {
	docs := make([]streamDocument, len(paths))
	for i, path := range paths {
		var err error
		if docs[i], err = e.measure(path, in, how); err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// measure reads one input to its end.
func (e *env) measure(path string, in streamFlags, how collision.Options) (doc streamDocument, err error) {
	if err := how.Validate(); err != nil {
		return doc, err
	}
	start := e.Now()
	r, err := open(path, in.options)
	if err != nil {
		return doc, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	how.Bins = r.Bins()
	acc, err := collision.NewAccumulator(how)
	if err != nil {
		return doc, err
	}
	if err := e.feed(acc, r); err != nil {
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
func (e *env) feed(acc *collision.Accumulator, r source) error {
	size, _ := r.Size()
	progress := e.newBar("reading "+r.Name(), size, unitsBytes)
	defer progress.stop()
	chunk := make([]uint32, chunkUpdates)
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
		progress.set(r.BytesRead())
	}
}
