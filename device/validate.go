package device

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Validate reports the first field that is missing, out of range or in the
// wrong unit. Errors wrap ErrProfile.
func (p *Profile) Validate() error {
	switch {
	case p.Schema != Schema:
		return fmt.Errorf("%w: schema %d, this version reads %d", ErrProfile, p.Schema, Schema)
	case !nameForm.MatchString(p.Name):
		return fmt.Errorf("%w: name %q, want lower-case letters, digits, - and _", ErrProfile, p.Name)
	}
	for _, group := range []struct {
		name  string
		value any
	}{
		{"core", p.Core}, {"shared", p.Shared}, {"exchange", p.Exchange}, {"global", p.Global},
		{"memory", p.Memory}, {"launch", p.Launch}, {"host", p.Host}, {"library", p.Library},
	} {
		if err := validateGroup(group.name, reflect.ValueOf(group.value)); err != nil {
			return err
		}
	}
	if err := p.validatePaths(); err != nil {
		return err
	}
	if err := p.validateCounts(); err != nil {
		return err
	}
	if err := p.validateAtomics(); err != nil {
		return err
	}
	return p.validateSlices()
}

func (p *Profile) validatePaths() error {
	if p.Paths == nil {
		return nil
	}
	if err := validateGroup("paths", reflect.ValueOf(*p.Paths)); err != nil {
		return err
	}
	if segment := p.Paths.Segment.Value; segment < 4 {
		return fmt.Errorf("%w: paths.segment = %v, want 4 at least", ErrProfile, segment)
	}
	if clause := p.Paths.Clause.Value; clause < 1 {
		return fmt.Errorf("%w: paths.clause = %v, want 1 at least", ErrProfile, clause)
	}
	return nil
}

func validateGroup(name string, v reflect.Value) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		place := name + "." + strings.Split(field.Tag.Get("json"), ",")[0]
		switch q := v.Field(i).Interface().(type) {
		case Quantity:
			if err := q.validate(place, field.Tag.Get("unit")); err != nil {
				return err
			}
		case Capability:
			if q.Source == "" || q.Rationale == "" {
				return fmt.Errorf("%w: %s has no source or no rationale", ErrProfile, place)
			}
		}
	}
	return nil
}

// largest bounds each unit so that the simulator's 64-bit ticks cannot overflow.
var largest = map[string]float64{
	"1": 1 << 20, "cycle": 1e6, "cycle/key": 1e4, "byte": 1 << 40, "byte/s": 1e16,
	"us": 1e6, "ns/update": 1e6, "MHz": 1e5,
}

func (q Quantity) validate(place, unit string) error {
	switch {
	case q.Unit == "":
		return fmt.Errorf("%w: %s is missing or has no unit", ErrProfile, place)
	case q.Unit != unit:
		return fmt.Errorf("%w: %s is in %q, want %q", ErrProfile, place, q.Unit, unit)
	case !(q.Value >= 0 && q.Value <= largest[unit]):
		return fmt.Errorf("%w: %s = %v, want 0 to %v", ErrProfile, place, q.Value, largest[unit])
	case q.Source == "" || q.Rationale == "":
		return fmt.Errorf("%w: %s has no source or no rationale", ErrProfile, place)
	}
	return nil
}

// validateCounts checks what later arithmetic divides by or sizes arrays with.
func (p *Profile) validateCounts() error {
	for _, c := range []struct {
		place    string
		value    float64
		low, top float64
		whole    bool
	}{
		{"core.clock", p.Core.Clock.Value, 1, 1e5, false},
		{"core.sms", p.Core.SMs.Value, 1, 4096, true},
		{"core.warp_lanes", p.Core.WarpLanes.Value, 16, 64, true},
		{"core.schedulers", p.Core.Schedulers.Value, 1, 64, true},
		{"core.max_warps", p.Core.MaxWarps.Value, 1, 1024, true},
		{"core.max_blocks", p.Core.MaxBlocks.Value, 1, 64, true},
		{"core.max_threads_per_block", p.Core.MaxThreadsPerBlock.Value, 256, 1 << 12, true},
		{"shared.bytes_per_sm", p.Shared.BytesPerSM.Value, 1 << 14, 1 << 22, true},
		{"shared.bytes_per_block", p.Shared.BytesPerBlock.Value,
			1 << 14, p.Shared.BytesPerSM.Value, true},
		{"shared.banks", p.Shared.Banks.Value, 1, 1024, true},
		{"shared.bank_bytes", p.Shared.BankBytes.Value, 4, 16, true},
		{"global.sector_bytes", p.Global.SectorBytes.Value, 8, 4096, true},
		{"global.slices", p.Global.Slices.Value, 1, 4096, true},
		{"global.chunk_bytes", p.Global.ChunkBytes.Value, p.Global.SectorBytes.Value, 1 << 20, true},
		{"global.region_bytes", p.Global.RegionBytes.Value, p.Global.ChunkBytes.Value, 1 << 24, true},
		{"global.region_slices", p.Global.RegionSlices.Value, 1, p.Global.Slices.Value, true},
		{"memory.dram_rate", p.Memory.DRAMRate.Value, 1e6, 1e15, false},
		{"memory.l2_rate", p.Memory.L2Rate.Value, 1e6, 1e16, false},
		{"memory.atomic_kernel_rate", p.Memory.AtomicRate.Value, 1e6, 1e16, false},
		{"shared.contended_adds", p.Shared.ContendedAdds.Value, 0.1, 64, false},
		{"shared.in_step", p.Shared.InStep.Value, 0, 1, false},
		{"shared.block_locality", p.Shared.BlockLocality.Value, 0, 1, false},
		{"global.slice_requests", p.Global.SliceRequests.Value, 1, 4096, false},
		{"memory.l2_ways", p.Memory.L2Ways.Value, 1, 1024, true},
		{"library.sort_warps", p.Library.SortWarps.Value, 1, 1024, false},
		{"library.sort_keys", p.Library.SortKeys.Value, 1, 1024, false},
		{"library.segment_warps", p.Library.SegmentWarps.Value, 1, 1024, false},
		{"library.segment_keys", p.Library.SegmentKeys.Value, 1, 1024, false},
	} {
		if c.value < c.low || c.value > c.top || (c.whole && c.value != math.Trunc(c.value)) {
			return fmt.Errorf("%w: %s = %v, want %v to %v", ErrProfile, c.place, c.value, c.low, c.top)
		}
	}
	for _, q := range []struct {
		place string
		value float64
	}{
		{"core.warp_lanes", p.Core.WarpLanes.Value},
		{"core.max_threads_per_block", p.Core.MaxThreadsPerBlock.Value},
		{"shared.banks", p.Shared.Banks.Value},
	} {
		if n := int(q.value); n&(n-1) != 0 {
			return fmt.Errorf("%w: %s = %d is no power of two", ErrProfile, q.place, n)
		}
	}
	threads := p.Core.MaxWarps.Value * p.Core.WarpLanes.Value
	if threads < min(1024, p.Core.MaxThreadsPerBlock.Value) {
		return fmt.Errorf("%w: core.max_warps: %v resident threads do not hold one block",
			ErrProfile, threads)
	}
	return nil
}

func (p *Profile) validateAtomics() error {
	for _, name := range slices.Sorted(maps.Keys(p.SharedAtomics)) {
		a, place := p.SharedAtomics[name], "shared_atomics."+name
		if err := validateAtomic(place, a.Mechanism, a); err != nil {
			return err
		}
		if a.Warp != nil {
			if err := validateGroup(place+".warp", reflect.ValueOf(*a.Warp)); err != nil {
				return err
			}
		}
		loops := a.Mechanism == Lock || a.Mechanism == Spin || a.Mechanism == CAS
		switch {
		case loops && a.Mechanism != CAS && a.Locks.Value < 1:
			return fmt.Errorf("%w: %s.locks = %v", ErrProfile, place, a.Locks.Value)
		case loops && (a.Round.Value < 1 || a.Hold.Value > 8*a.Round.Value):
			return fmt.Errorf(
				"%w: %s: hold = %v, want at most eight rounds of %v, and a round of 1 at least",
				ErrProfile, place, a.Hold.Value, a.Round.Value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.GlobalAtomics)) {
		a := p.GlobalAtomics[name]
		if err := validateAtomic("global_atomics."+name, a.Mechanism, a); err != nil {
			return err
		}
		if a.Mechanism != Native && a.Mechanism != CAS && a.Mechanism != Absent {
			return fmt.Errorf("%w: global_atomics.%s: no %s mechanism in global memory",
				ErrProfile, name, a.Mechanism)
		}
		if a.Round != nil {
			if err := a.Round.validate("global_atomics."+name+".round", "cycle"); err != nil {
				return err
			}
			if a.Mechanism != CAS || a.Round.Value < 1 || a.Round.Value > a.Latency.Value {
				return fmt.Errorf("%w: global_atomics.%s.round = %v, "+
					"want 1 to the latency of %v, of a compare-and-swap loop",
					ErrProfile, name, a.Round.Value, a.Latency.Value)
			}
		}
	}
	return p.validateTypes()
}

func (p *Profile) validateTypes() error {
	for _, t := range Types() {
		use, ok := p.Types[t]
		shared, hasShared := p.SharedAtomics[use.Shared]
		_, hasOne := p.SharedAtomics[use.SharedOne]
		_, hasGlobal := p.GlobalAtomics[use.Global]
		if !ok || !hasShared || !hasOne || !hasGlobal {
			return fmt.Errorf("%w: types.%s names no known atomics", ErrProfile, t)
		}
		if key := use.GlobalExtreme; key != "" {
			if _, ok := p.GlobalAtomics[key]; !ok || t.Float() {
				return fmt.Errorf("%w: types.%s.global_extreme: %q is no known atomic, or the type no integer",
					ErrProfile, t, key)
			}
		}
		for o, key := range use.SharedOperations {
			if _, err := ParseOperation(string(o)); err != nil {
				return fmt.Errorf("%w: types.%s.shared_operations: %q", ErrProfile, t, o)
			}
			if _, ok := p.SharedAtomics[key]; !ok {
				return fmt.Errorf("%w: types.%s.shared_operations.%s names no known atomic", ErrProfile, t, o)
			}
		}
		if one := p.SharedAtomics[use.SharedOne]; shared.Mechanism == Access || one.Mechanism == Access {
			return fmt.Errorf("%w: types.%s: a plain access adds nothing", ErrProfile, t)
		}
		if shared.Mechanism == Merge {
			return fmt.Errorf("%w: types.%s.shared: only equal values merge, name it in shared_one",
				ErrProfile, t)
		}
	}
	return nil
}

func validateAtomic(place string, m Mechanism, atomic any) error {
	switch m {
	case Native, Merge, Lock, Spin, CAS, Access, Absent:
		return validateGroup(place, reflect.ValueOf(atomic))
	}
	return fmt.Errorf("%w: %s.mechanism = %q", ErrProfile, place, m)
}
