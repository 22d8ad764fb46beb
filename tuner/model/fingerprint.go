package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/atomtune/atomtune/device"
)

// ProfileHash returns the SHA-256, in hexadecimal, of everything in a profile
// that a prediction can depend on: names of fields and of atomics, numbers,
// capabilities and mechanisms, and not titles, units, sources or rationales.
func ProfileHash(d *device.Profile) string {
	text := make([]byte, 0, 8<<10)
	for _, part := range []any{
		&d.Core, &d.Shared, &d.Exchange, &d.Global, &d.Memory, &d.Launch, &d.Host, &d.Library,
	} {
		text = appendFields(text, reflect.ValueOf(part).Elem())
	}
	for _, name := range slices.Sorted(maps.Keys(d.SharedAtomics)) {
		a := d.SharedAtomics[name]
		text = fmt.Appendf(text, "shared %q %s\n", name, a.Mechanism)
		text = appendPart(appendFields(text, reflect.ValueOf(&a).Elem()), "warp", a.Warp)
	}
	for _, name := range slices.Sorted(maps.Keys(d.GlobalAtomics)) {
		a := d.GlobalAtomics[name]
		text = fmt.Appendf(text, "global %q %s\n", name, a.Mechanism)
		text = appendPart(appendFields(text, reflect.ValueOf(&a).Elem()), "slice", a.Slice)
	}
	text = appendPart(text, "answers", d.Global.Answers)
	if h := d.Global.Hash; h != nil {
		text = fmt.Appendf(text, "hash %d %d %d %d %d\n", h.Modulus, h.Low, h.Fold, h.SmallBase, h.Page)
	}
	for _, t := range device.Types() {
		text = fmt.Appendf(text, "%s %q %q %q\n", t, d.Types[t].Shared, d.Types[t].SharedOne,
			d.Types[t].Global)
	}
	sum := sha256.Sum256(appendPart(text, "paths", d.Paths))
	return hex.EncodeToString(sum[:])
}

// appendPart appends what not every profile has.
func appendPart[T any](text []byte, name string, part *T) []byte {
	if part == nil {
		return text
	}
	return appendFields(fmt.Appendln(text, name), reflect.ValueOf(part).Elem())
}

// appendFields appends a line for each number and capability of a struct: its
// name and its value, a number in hexadecimal so that every bit shows.
func appendFields(text []byte, v reflect.Value) []byte {
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		number := func(q *device.Quantity) {
			text = append(append(text, name...), ' ')
			text = append(strconv.AppendFloat(text, q.Value, 'x', -1, 64), '\n')
		}
		switch q := v.Field(i).Addr().Interface().(type) {
		case *device.Quantity:
			number(q)
		case **device.Quantity: // not every profile has it
			if *q != nil {
				number(*q)
			}
		case *device.Capability:
			text = fmt.Appendf(text, "%s %t\n", name, q.Value)
		}
	}
	return text
}
