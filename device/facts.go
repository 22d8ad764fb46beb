package device

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Fact is a quantity or a capability of a profile: the other is nil.
type Fact struct {
	Place      string // as in the profile's file, with dots: core.sms
	Quantity   *Quantity
	Capability *Capability
	tag        reflect.StructTag // of its field, with unit and range
}

// origin points to where the fact is from, and to how it follows from that.
func (f Fact) origin() (source, rationale *string) {
	if q := f.Quantity; q != nil {
		return &q.Source, &q.Rationale
	}
	return &f.Capability.Source, &f.Capability.Rationale
}

// Source returns where the fact is from.
func (f Fact) Source() string {
	source, _ := f.origin()
	return *source
}

// Unit returns the unit that the profile's format demands of a quantity.
func (f Fact) Unit() string { return f.tag.Get("unit") }

// Estimated reports whether the fact is an estimate.
func (f Fact) Estimated() bool { return f.Source() == SourceEstimate }

// Say sets where the fact is from, and how it follows from that.
func (f Fact) Say(source, rationale string) {
	from, how := f.origin()
	*from, *how = source, rationale
}

// Facts visits every quantity and capability, maps in the order of their keys. What visit changes,
// the profile holds.
func (p *Profile) Facts(visit func(Fact)) { FactsOf(p, visit) }

// FactsOf is Profile.Facts of a part of a profile, to which part points: places are those in it.
func FactsOf(part any, visit func(Fact)) { facts("", "", reflect.ValueOf(part), visit) }

func facts(place string, tag reflect.StructTag, v reflect.Value, visit func(Fact)) {
	within := func(part string) string { return strings.TrimPrefix(place+"."+part, ".") }
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		switch fact := v.Interface().(type) {
		case *Quantity:
			visit(Fact{place, fact, nil, tag})
			return
		case *Capability:
			visit(Fact{place, nil, fact, tag})
			return
		}
		v = v.Elem()
		for i := range v.NumField() {
			tag, field := v.Type().Field(i).Tag, v.Field(i)
			if field.Kind() == reflect.Struct {
				field = field.Addr()
			}
			name, _, _ := strings.Cut(tag.Get("json"), ",")
			facts(within(name), tag, field, visit)
		}
	case reflect.Map:
		if v.Type().Elem().Kind() != reflect.Struct {
			return
		}
		keys := slices.SortedFunc(slices.Values(v.MapKeys()),
			func(a, b reflect.Value) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, k := range keys {
			entry := reflect.New(v.Type().Elem()) // entries of maps have no address
			entry.Elem().Set(v.MapIndex(k))
			facts(within(fmt.Sprint(k)), tag, entry, visit)
			if entry.Elem().Comparable() && !entry.Elem().Equal(v.MapIndex(k)) {
				v.SetMapIndex(k, entry.Elem())
			}
		}
	}
}

// largest bounds each unit so that the simulator's 64-bit ticks cannot overflow.
var largest = map[string]float64{
	"1": 1 << 20, "cycle": 1e6, "cycle/key": 1e4, "byte": 1 << 40, "byte/s": 1e16,
	"us": 1e6, "ns/update": 1e6, "MHz": 1e5,
}

// Validate checks a fact, a quantity by the unit and the range of its field: least, greatest, and whether
// it is a whole number or a power of two.
func (f Fact) Validate() error {
	if q := f.Quantity; q != nil {
		unit := f.Unit()
		low, high, form := 0.0, largest[unit], ""
		if limits := strings.Fields(f.tag.Get("range")); len(limits) > 0 {
			low, _ = strconv.ParseFloat(limits[0], 64)
			high, _ = strconv.ParseFloat(limits[1], 64)
			form = strings.Join(limits[2:], "")
		}
		switch {
		case q.Unit == "":
			return broken("%s is missing or has no unit", f.Place)
		case q.Unit != unit:
			return broken("%s is in %q, want %q", f.Place, q.Unit, unit)
		case !(q.Value >= low && q.Value <= high) || form != "" && q.Value != math.Trunc(q.Value):
			return broken("%s = %v, want %v to %v", f.Place, q.Value, low, high)
		case form == "power" && int(q.Value)&(int(q.Value)-1) != 0:
			return broken("%s = %v is not a power of two", f.Place, q.Value)
		}
	}
	if source, rationale := f.origin(); *source == "" || *rationale == "" {
		return broken("%s has no source or no rationale", f.Place)
	}
	return nil
}
