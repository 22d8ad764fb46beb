package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/fit"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
)

// fitInput is one file that fit was given.
type fitInput struct {
	name string
	kind recordings.Kind
	data []byte // decompressed
}

// readInput reads a file whole and looks what it holds.
func (e *env) readInput(path string) (in fitInput, err error) {
	c, err := input.OpenContent(&e.Env, path)
	if err != nil {
		return fitInput{}, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	data, err := io.ReadAll(c)
	if err = c.Check(err); err != nil {
		return fitInput{}, err
	}
	return fitInput{c.Name, recordings.KindOf(data), data}, nil
}

// fitInputs are the files that fit was given, by what they hold. Their order
// does not matter.
type fitInputs struct {
	readings *fitInput
	patterns *fitInput
	others   []fitInput // what is not fitted, by name
}

func (e *env) readInputs(paths []string) (fitInputs, error) {
	var all fitInputs
	for _, path := range paths {
		in, err := e.readInput(path)
		if err != nil {
			return fitInputs{}, err
		}
		to := &all.patterns
		switch in.kind {
		case recordings.Readings:
			to = &all.readings
		case recordings.Other: // measured patterns, or nothing that is known
		default:
			all.others = append(all.others, in)
			continue
		}
		if *to != nil {
			return fitInputs{}, command.Usagef("fit takes one file of readings and one of measured patterns, but %s and %s are alike; "+
				"atomprobe merge makes one run of several", min((*to).name, in.name), max((*to).name, in.name))
		}
		*to = &in
	}
	slices.SortFunc(all.others, func(a, b fitInput) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	if all.readings == nil && all.patterns == nil {
		first := all.others[0]
		return fitInputs{}, fmt.Errorf("%s: %w: it holds %s, which are not fitted", first.name, fit.ErrData, first.kind)
	}
	return all, nil
}

// measurements reads the patterns. Their lanes must be those of the base.
func (in *fitInput) measurements(base *device.Profile) (*patterns.Measurements, error) {
	m, err := patterns.ReadMeasurements(bytes.NewReader(in.data), in.name, wordsOf(base, device.U32))
	if err != nil {
		return nil, err
	}
	if lanes := int(base.Core.WarpLanes.Value); m.Lanes != lanes {
		return nil, fmt.Errorf("%s: %w: rows of %d lanes, but a warp of %s has %d", in.name, fit.ErrData, m.Lanes, base.Name, lanes)
	}
	return m, nil
}
