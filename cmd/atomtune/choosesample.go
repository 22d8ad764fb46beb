package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/variant"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/tuner"
)

// chooseSampled is choose for streams that are looked at as far as that pays.
func (e *env) chooseSampled(args []string, stream input.StreamFlags, d *device.Profile, o tuner.Options, look tuner.SamplingBudget) error {
	docs := make([]chooseDocument, len(args))
	for i, path := range args {
		indices, bins, doc, err := e.hold(path, stream)
		if err != nil {
			return err
		}
		decision, err := tuner.ChooseSampled(indices, bins, d, o, look)
		if err != nil {
			return fmt.Errorf("%s: %w", doc.File, err)
		}
		doc.Stats = decision.Stream
		docs[i] = newChooseDocument(doc, decision, o, d)
	}
	return input.EmitAll(&e.Env, docs, printChoice)
}

// hold reads a whole input into memory and returns its indices, the number of
// its targets, and what is known of it without measuring.
func (e *env) hold(path string, in input.StreamFlags) (indices []uint32, bins uint64, doc input.StreamDocument, err error) {
	start := e.Now()
	r, err := input.Open(path, in.Options)
	if err != nil {
		return nil, 0, doc, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	chunk := make([]uint32, input.ChunkUpdates)
	for {
		n, err := r.Next(chunk)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, 0, doc, err
		}
		indices = append(indices, chunk[:n]...)
	}
	if bins, err = targets(indices, r.Bins()); err != nil {
		return nil, 0, doc, fmt.Errorf("%s: %w", r.Name(), err)
	}
	doc.File, doc.Format = r.Name(), r.Format()
	doc.ElapsedS = e.Now().Sub(start).Seconds()
	if doc.ElapsedS > 0 {
		doc.BytesPerSecond = float64(r.BytesRead()) / doc.ElapsedS
	}
	return indices, bins, doc, nil
}

// targets returns the number of targets: bins, which is above every index, or
// the highest index and 1 where bins is 0.
func targets(indices []uint32, bins uint64) (uint64, error) {
	most := uint64(0)
	for i, x := range indices {
		if bins > 0 && uint64(x) >= bins {
			return 0, fmt.Errorf("%w: update %d has index %d, the stream has %d bins", collision.ErrIndex, i, x, bins)
		}
		most = max(most, uint64(x)+1)
	}
	return max(bins, most), nil
}

// parseVariants reads the implementations that a flag names. NAME:* stands for
// NAME and for the candidates NAME:PARAMETERS.
func parseVariants(flag string, names []string) ([]variant.Variant, error) {
	var list []variant.Variant
	for _, n := range names {
		if base, ok := strings.CutSuffix(n, ":*"); ok {
			all := withParameters(base)
			if len(all) == 0 {
				return nil, command.Usagef("%s %s: no candidate is called %s", flag, n, base)
			}
			for _, v := range all {
				if !slices.Contains(list, v) {
					list = append(list, v)
				}
			}
			continue
		}
		v, err := variant.Parse(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		list = append(list, v)
	}
	return list, nil
}

// withParameters returns the candidates of a name, whatever their parameters.
func withParameters(name string) []variant.Variant {
	return slices.DeleteFunc(variant.Candidates(), func(v variant.Variant) bool {
		text := v.String()
		return text != name && !strings.HasPrefix(text, name+":")
	})
}
