package device

import (
	"fmt"
	"reflect"
	"strings"
)

// SourceEstimate is the source of a quantity that no document states and nobody measured on the
// device. Its rationale says how it was estimated.
const SourceEstimate = "estimate"

// Estimate says of a profile that nothing in it was measured on the device: each quantity is from a
// public document, or has SourceEstimate.
type Estimate struct {
	// Base is the profile that estimated quantities are taken over from, or scaled.
	Base string `json:"base"`
	// BaseVendor is the vendor of that profile, which may be another than the device's.
	BaseVendor string `json:"base_vendor"`
}

// Origin says in a word of what the profile is made: of readings of the device, of papers, or as an
// estimate.
func (p *Profile) Origin() string {
	switch {
	case p.Estimate != nil:
		return "estimate"
	case p.GlobalAtomic(U32).Slice != nil:
		return OfReadings
	}
	return "papers"
}

// OfReadings is the Origin of a profile that atomprobe's readings made.
const OfReadings = "readings"

// Fact is a quantity or a capability of a profile: the other is nil.
type Fact struct {
	Place      string // as in the profile's file, with dots: core.sms
	Quantity   *Quantity
	Capability *Capability
}

// Source returns where the fact is from.
func (f Fact) Source() string {
	if f.Quantity != nil {
		return f.Quantity.Source
	}
	return f.Capability.Source
}

// Estimated reports whether the fact is an estimate.
func (f Fact) Estimated() bool { return f.Source() == SourceEstimate }

// Say sets where the fact is from, and how it follows from that.
func (f Fact) Say(source, rationale string) {
	if f.Quantity != nil {
		f.Quantity.Source, f.Quantity.Rationale = source, rationale
	} else {
		f.Capability.Source, f.Capability.Rationale = source, rationale
	}
}

// Facts visits every quantity and capability, maps in the order of their keys. What visit changes,
// the profile holds.
func (p *Profile) Facts(visit func(Fact)) { facts("", reflect.ValueOf(p).Elem(), visit) }

func facts(place string, v reflect.Value, visit func(Fact)) {
	switch fact := v.Addr().Interface().(type) {
	case *Quantity:
		visit(Fact{Place: place, Quantity: fact})
		return
	case *Capability:
		visit(Fact{Place: place, Capability: fact})
		return
	}
	within := func(part string) string { return strings.TrimPrefix(place+"."+part, ".") }
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			facts(place, v.Elem(), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			facts(within(name), v.Field(i), visit)
		}
	case reflect.Map:
		for _, k := range sortedKeys(v) {
			entry := reflect.New(v.Type().Elem()).Elem() // entries of maps have no address
			entry.Set(v.MapIndex(k))
			facts(within(fmt.Sprint(k)), entry, visit)
			if !reflect.DeepEqual(entry.Interface(), v.MapIndex(k).Interface()) {
				v.SetMapIndex(k, entry)
			}
		}
	}
}

// validateEstimate refuses measurements in a profile that says that it holds none.
func (p *Profile) validateEstimate() (err error) {
	if p.Estimate == nil {
		return nil
	}
	if p.Estimate.Base == "" || p.Estimate.BaseVendor == "" {
		return broken("estimate names no base")
	}
	p.Facts(func(f Fact) {
		measured := strings.HasPrefix(f.Source(), "measured on ") || f.Source() == recordedCalls ||
			f.Source() == recordedReadings
		if err == nil && measured {
			err = broken("%s: %q in a profile that is an estimate", f.Place, f.Source())
		}
	})
	return err
}
