package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
)

// noise is how far the repeats and the starts of a suite's rows lie apart, relative to the row's value; of
// one start nothing is known.
type noise struct {
	name            string
	repeats         [2]int // least and most
	within, between []float64
}

func (n *noise) add(repeats int, low, value, high float64, starts ...float64) {
	if len(n.within) == 0 {
		n.repeats = [2]int{repeats, repeats}
	}
	n.repeats = [2]int{min(n.repeats[0], repeats), max(n.repeats[1], repeats)}
	n.within = append(n.within, (high-low)/value)
	n.between = append(n.between, starts...)
}

// apartBy is how far the starts of a row lie apart, nothing where there was one.
func apartBy(starts int, spread float64) []float64 {
	if starts < 2 {
		return nil
	}
	return []float64{spread}
}

// quantile is in percent.
func quantile(values []float64, q float64) string {
	if len(values) == 0 {
		return "-"
	}
	slices.Sort(values)
	return fmt.Sprintf("%.2f", 100*values[min(len(values)-1, int(q*float64(len(values))))])
}

func (n *noise) row() string {
	repeats := fmt.Sprint(n.repeats[0])
	if n.repeats[1] != n.repeats[0] {
		repeats = fmt.Sprintf("%d to %d", n.repeats[0], n.repeats[1])
	}
	return fmt.Sprintf("| %s | %d | %s | %s, %s | %s, %s |\n", n.name, len(n.within), repeats,
		quantile(n.within, 0.5), quantile(n.within, 0.95), quantile(n.between, 0.5),
		quantile(n.between, 0.95))
}

// noises are those of an archive's suites.
type noises []*noise

func (all *noises) of(name string) *noise {
	for _, n := range *all {
		if n.name == name {
			return n
		}
	}
	*all = append(*all, &noise{name: name})
	return (*all)[len(*all)-1]
}

func (all *noises) readings(list []recordings.Reading) {
	for _, r := range list {
		if r.Repeats > r.Starts { // not what a start reads once: attributes and counters
			all.of(r.Suite+": "+r.Name).add(r.Repeats, r.Low, r.Value, r.High, apartBy(r.Starts, r.StartSpread)...)
		}
	}
}

func (all *noises) scratchpad(s *recordings.Scratchpad) {
	for _, c := range s.Columns {
		for i, v := range c.Cycles {
			// Medians of the starts are not kept; they lie within the extremes.
			all.of("scratchpad").add(c.Repeats, c.Low[i], v, c.High[i], (c.High[i]-c.Low[i])/v)
		}
	}
}

// calls takes those that were measured.
func (all *noises) calls(list []recordings.Call) {
	for _, c := range list {
		if c.Origin != recordings.Measured {
			continue
		}
		name := "calls below 20 us"
		if c.MedianUS >= 100 {
			name = "calls from 100 us"
		} else if c.MedianUS >= 20 {
			name = "calls of 20 to 100 us"
		}
		all.of(name).add(c.Repeats, c.MinUS, c.MedianUS, c.MaxUS, apartBy(c.Starts, c.StartSpread)...)
	}
}

// noiseTable is the table of noise of an archive's README: its calls, and of readings and patterns what it
// has.
func noiseTable(a *archive.Archive) (string, error) {
	var all noises
	for _, part := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
		calls, err := a.Calls(part)
		if err != nil {
			return "", err
		}
		all.calls(calls)
	}
	list, err := a.Readings()
	if err != nil {
		return "", err
	}
	all.readings(list)
	switch s, err := a.Columns(); {
	case err == nil:
		all.scratchpad(s)
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	slices.SortStableFunc(all, func(a, b *noise) int {
		return strings.Compare(strings.SplitN(a.name, ":", 2)[0], strings.SplitN(b.name, ":", 2)[0])
	})
	var table strings.Builder
	table.WriteString("| suite | rows | repeats | spread of repeats: median, p95 (%) | " +
		"spread of starts: median, p95 (%) |\n|---|---|---|---|---|\n")
	for _, n := range all {
		table.WriteString(n.row())
	}
	return table.String(), nil
}
