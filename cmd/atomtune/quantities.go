package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/report"
)

// quantityRow is one fact of a device profile.
type quantityRow struct{ name, value, unit, source, rationale string }

// quantities lists every fact of a profile under the names that its file uses,
// in the order of the file; maps by key.
func quantities(d *device.Profile) []quantityRow {
	var rows []quantityRow
	walk(reflect.ValueOf(*d), "", &rows)
	return rows
}

func walk(v reflect.Value, name string, rows *[]quantityRow) {
	switch fact := v.Interface().(type) {
	case device.Quantity:
		*rows = append(*rows, quantityRow{name, report.Number(fact.Value), unitName(fact.Unit), fact.Source, fact.Rationale})
		return
	case device.Capability:
		*rows = append(*rows, quantityRow{name, yesNo(fact.Value), "", fact.Source, fact.Rationale})
		return
	}
	if h, ok := v.Interface().(device.SliceHash); ok {
		masks := fmt.Sprintf("mod %d, low %x, fold %x, small arrays at %d of pages of %d", h.Modulus, h.Low, h.Fold, h.SmallBase, h.Page)
		*rows = append(*rows, quantityRow{name, masks, "", h.Source, h.Rationale})
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), name, rows)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			walk(v.Field(i), join(name, tag), rows)
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, k := range keys {
			walk(v.MapIndex(k), join(name, fmt.Sprint(k)), rows)
		}
	default:
		text := fmt.Sprint(v)
		if text == "" || !strings.Contains(name, ".") {
			return // the profile's own name stands above the table
		}
		*rows = append(*rows, quantityRow{name: name, value: text})
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// unitName leaves out the unit of a pure number.
func unitName(unit string) string {
	if unit == "1" {
		return ""
	}
	return unit
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
