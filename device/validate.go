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
		return broken("schema %d, this version reads %d", p.Schema, Schema)
	case !named(p.Name):
		return broken("name %q, want lower-case letters, digits, - and _", p.Name)
	}
	return cmp.Or(validate("", "", reflect.ValueOf(*p)), p.validateCounts(), p.validateAtomics(),
		p.validateTypes(), p.Global.Hash.validate(p.Global.Slices.Value), p.validateEstimate())
}

func broken(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrProfile, fmt.Sprintf(format, args...))
}

// validate checks the quantities and capabilities of a value and what it holds, and that
// mechanisms are known.
func validate(place string, tag reflect.StructTag, v reflect.Value) (err error) {
	switch q := v.Interface().(type) {
	case Quantity:
		return q.validate(place, tag)
	case Capability:
		if q.Source == "" || q.Rationale == "" {
			return broken("%s has no source or no rationale", place)
		}
		return nil
	case Mechanism:
		if !slices.Contains([]Mechanism{Native, Merge, Lock, Spin, CAS, Access, Absent}, q) {
			return broken("%s = %q", place, q)
		}
		return nil
	}
	part := func(name string, tag reflect.StructTag, v reflect.Value) {
		if err == nil {
			err = validate(strings.TrimPrefix(place+"."+name, "."), tag, v)
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return validate(place, tag, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			tag := v.Type().Field(i).Tag
			name, _, _ := strings.Cut(tag.Get("json"), ",")
			part(name, tag, v.Field(i))
		}
	case reflect.Map:
		for _, k := range sortedKeys(v) {
			part(k.String(), tag, v.MapIndex(k))
		}
	}
	return err
}

// sortedKeys returns the keys of a map whose keys are strings or have names.
func sortedKeys(v reflect.Value) []reflect.Value {
	return slices.SortedFunc(slices.Values(v.MapKeys()),
		func(a, b reflect.Value) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
}

// largest bounds each unit so that the simulator's 64-bit ticks cannot overflow.
var largest = map[string]float64{
	"1": 1 << 20, "cycle": 1e6, "cycle/key": 1e4, "byte": 1 << 40, "byte/s": 1e16,
	"us": 1e6, "ns/update": 1e6, "MHz": 1e5,
}

// validate checks a quantity by the unit and the range of its field: least, greatest, and whether
// it is a whole number or a power of two.
func (q Quantity) validate(place string, tag reflect.StructTag) error {
	unit := tag.Get("unit")
	low, high, form := 0.0, largest[unit], ""
	if limits := strings.Fields(tag.Get("range")); len(limits) > 0 {
		low, _ = strconv.ParseFloat(limits[0], 64)
		high, _ = strconv.ParseFloat(limits[1], 64)
		form = strings.Join(limits[2:], "")
	}
	switch {
	case q.Unit == "":
		return broken("%s is missing or has no unit", place)
	case q.Unit != unit:
		return broken("%s is in %q, want %q", place, q.Unit, unit)
	case !(q.Value >= low && q.Value <= high) || form != "" && q.Value != math.Trunc(q.Value):
		return broken("%s = %v, want %v to %v", place, q.Value, low, high)
	case form == "power" && int(q.Value)&(int(q.Value)-1) != 0:
		return broken("%s = %v is no power of two", place, q.Value)
	case q.Source == "" || q.Rationale == "":
		return broken("%s has no source or no rationale", place)
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
			return broken("types.%s.global_extreme: %q is no known atomic, or the type no integer", t, key)
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
