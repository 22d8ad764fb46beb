package device

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
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
	if err := validateFields("", reflect.ValueOf(*p)); err != nil {
		return err
	}
	if err := p.validateCounts(); err != nil {
		return err
	}
	if err := p.validateAtomics(); err != nil {
		return err
	}
	if p.Global.Hash != nil {
		return p.Global.Hash.validate(p.Global.Slices.Value)
	}
	return nil
}

// validateFields checks the quantities and capabilities of a struct and what it holds, and
// that structs with a mechanism have a known one.
func validateFields(place string, v reflect.Value) error {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		name := strings.Split(field.Tag.Get("json"), ",")[0]
		if place != "" {
			name = place + "." + name
		}
		if err := validateValue(name, field.Tag, value); err != nil {
			return err
		}
	}
	return nil
}

func validateValue(place string, tag reflect.StructTag, v reflect.Value) error {
	switch q := v.Interface().(type) {
	case Quantity:
		return q.validate(place, tag)
	case Capability:
		if q.Source == "" || q.Rationale == "" {
			return fmt.Errorf("%w: %s has no source or no rationale", ErrProfile, place)
		}
	case Mechanism:
		switch q {
		case Native, Merge, Lock, Spin, CAS, Access, Absent:
			return nil
		}
		return fmt.Errorf("%w: %s = %q", ErrProfile, place, q)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return validateValue(place, tag, v.Elem())
		}
	case reflect.Struct:
		return validateFields(place, v)
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
		for _, k := range keys {
			if err := validateValue(place+"."+k.String(), tag, v.MapIndex(k)); err != nil {
				return err
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

func (q Quantity) validate(place string, tag reflect.StructTag) error {
	unit := tag.Get("unit")
	low, high, whole := 0.0, largest[unit], false
	if limits := strings.Fields(tag.Get("range")); len(limits) > 0 {
		low, _ = strconv.ParseFloat(limits[0], 64)
		high, _ = strconv.ParseFloat(limits[1], 64)
		whole = len(limits) > 2
	}
	switch {
	case q.Unit == "":
		return fmt.Errorf("%w: %s is missing or has no unit", ErrProfile, place)
	case q.Unit != unit:
		return fmt.Errorf("%w: %s is in %q, want %q", ErrProfile, place, q.Unit, unit)
	case !(q.Value >= low && q.Value <= high) || whole && q.Value != math.Trunc(q.Value):
		return fmt.Errorf("%w: %s = %v, want %v to %v", ErrProfile, place, q.Value, low, high)
	case q.Source == "" || q.Rationale == "":
		return fmt.Errorf("%w: %s has no source or no rationale", ErrProfile, place)
	}
	return nil
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
			return fmt.Errorf("%w: %s = %v, want %v to %v", ErrProfile, c.place, c.value, c.low, c.high)
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
		if a.Mechanism != Native && a.Mechanism != CAS && a.Mechanism != Absent {
			return fmt.Errorf("%w: global_atomics.%s: no %s mechanism in global memory",
				ErrProfile, name, a.Mechanism)
		}
		if a.Round != nil &&
			(a.Mechanism != CAS || a.Round.Value < 1 || a.Round.Value > a.Latency.Value) {
			return fmt.Errorf("%w: global_atomics.%s.round = %v, "+
				"want 1 to the latency of %v, of a compare-and-swap loop",
				ErrProfile, name, a.Round.Value, a.Latency.Value)
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
