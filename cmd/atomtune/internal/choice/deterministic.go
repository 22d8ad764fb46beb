package choice

import (
	"github.com/atomtune/atomtune/cuda/emit"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
)

// NoteDeterministic adds a warning to a choice that goes without atomics, since repeated calls must agree
// in every bit: the headers have a call for that which is not ranked.
func NoteDeterministic(d *tuner.Decision, o tuner.Options, p *device.Profile) {
	if !o.Deterministic || d.Ranking[0].Implementation.UsesAtomics() {
		return
	}
	if note := emit.Deterministic(p, o.Call); note != "" {
		d.Warnings = append(d.Warnings, note)
	}
}
