package device

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Validate reports the first field that is missing, out of range or in the
// wrong unit. Errors wrap ErrProfile.
func (p *Profile) Validate() error {
	switch {
	case p.Schema != Schema:
		return broken("schema %d, this version reads %d", p.Schema, Schema)
	case !named(p.Name):
		return broken("name %q, want lower-case letters, digits, - and _", p.Name)
	}
	var err error
	p.Facts(func(f Fact) { err = cmp.Or(err, f.Validate()) })
	return cmp.Or(err, p.validateCounts(), p.validateAtomics(), p.validateTypes(),
		p.Global.Hash.validate(p.Global.Slices.Value), p.validateEstimate())
}

func broken(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrProfile, fmt.Sprintf(format, args...))
}

// validateCounts checks the counts that bound each other.
func (p *Profile) validateCounts() error {
	for _, c := range []struct {
		place            string
		value, low, high float64
	}{
		{"shared.bytes_per_block", p.Shared.BytesPerBlock.Value, 0, p.Shared.BytesPerSM.Value},
		{"global.chunk_bytes", p.Global.ChunkBytes.Value, p.Global.SectorBytes.Value, 1 << 20},
		{"global.region_bytes", p.Global.RegionBytes.Value, p.Global.ChunkBytes.Value, 1 << 24},
		{"global.region_slices", p.Global.RegionSlices.Value, 1, p.Global.Slices.Value},
	} {
		if c.value < c.low || c.value > c.high {
			return broken("%s = %v, want %v to %v", c.place, c.value, c.low, c.high)
		}
	}
	threads := p.Core.MaxWarps.Value * p.Core.WarpLanes.Value
	if threads < min(1024, p.Core.MaxThreadsPerBlock.Value) {
		return broken("core.max_warps: %v resident threads do not hold one block", threads)
	}
	return nil
}

func (p *Profile) validateAtomics() error {
	for _, name := range slices.Sorted(maps.Keys(p.SharedAtomics)) {
		a, place := p.SharedAtomics[name], "shared_atomics."+name
		switch locks := a.Mechanism == Lock || a.Mechanism == Spin; {
		case !slices.Contains([]Mechanism{Native, Merge, Lock, Spin, CAS, Access, Absent}, a.Mechanism):
			return broken("%s.mechanism = %q", place, a.Mechanism)
		case locks && a.Locks.Value < 1:
			return broken("%s.locks = %v", place, a.Locks.Value)
		case (locks || a.Mechanism == CAS) && (a.Round.Value < 1 || a.Hold.Value > 8*a.Round.Value):
			return broken("%s: hold = %v, want at most eight rounds of %v, and a round of 1 at least",
				place, a.Hold.Value, a.Round.Value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.GlobalAtomics)) {
		a := p.GlobalAtomics[name]
		switch {
		case a.Mechanism != Native && a.Mechanism != CAS && a.Mechanism != Absent:
			return broken("global_atomics.%s: no %s mechanism in global memory", name, a.Mechanism)
		case a.Round != nil &&
			(a.Mechanism != CAS || a.Round.Value < 1 || a.Round.Value > a.Latency.Value):
			return broken("global_atomics.%s.round = %v, want 1 to the latency of %v, of a "+
				"compare-and-swap loop", name, a.Round.Value, a.Latency.Value)
		}
	}
	return nil
}

func (p *Profile) validateTypes() error {
	for _, t := range Types() {
		use, ok := p.Types[t]
		shared, hasShared := p.SharedAtomics[use.Shared]
		one, hasOne := p.SharedAtomics[use.SharedOne]
		_, hasGlobal := p.GlobalAtomics[use.Global]
		_, hasExtreme := p.GlobalAtomics[use.GlobalExtreme]
		switch key := use.GlobalExtreme; {
		case !ok || !hasShared || !hasOne || !hasGlobal:
			return broken("types.%s names no known atomics", t)
		case key != "" && (!hasExtreme || t.Float()):
			return broken("types.%s.global_extreme: %q is not a known atomic, or the type is not an integer", t, key)
		case shared.Mechanism == Access || one.Mechanism == Access:
			return broken("types.%s: a plain access adds nothing", t)
		case shared.Mechanism == Merge:
			return broken("types.%s.shared: only equal values merge, name it in shared_one", t)
		}
		for o, key := range use.SharedOperations {
			if _, err := ParseOperation(string(o)); err != nil {
				return broken("types.%s.shared_operations: %q", t, o)
			}
			if _, ok := p.SharedAtomics[key]; !ok {
				return broken("types.%s.shared_operations.%s names no known atomic", t, o)
			}
		}
	}
	return nil
}
