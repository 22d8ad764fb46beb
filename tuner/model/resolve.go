package model

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/speedup"
)

// alone begins the caveat of predictions without a model.
const alone = "times come from the cost model alone: "

// For returns the model to use for a kind of call on a device. A given model must fit. The embedded
// one is left out, with the reason as a caveat, where it does not, and any for operations that the
// device makes otherwise than sums. There is none for rows.
func For(d *device.Profile, call device.Call, given *Model) (m *Model, caveat string, err error) {
	switch {
	case call.Wide() && given != nil:
		return nil, "", fmt.Errorf("there is no trained model of rows: %w", ErrOptions)
	case call.Wide():
		return nil, unjudged(d), nil
	}
	if given != nil {
		m, err = given, given.Fits(d)
	} else {
		m, caveat, err = embeddedFor(d)
	}
	if err != nil {
		return nil, "", err
	}
	if !d.LikeAdd(call) {
		return nil, alone + "models are trained on sums, but " + d.Name + " makes " +
			call.Op.String() + " of " + call.Type.String() + " differently", nil
	}
	return m, caveat, nil
}

// embeddedFor returns the embedded model of a device, or the reason for which there is none or it
// does not fit.
func embeddedFor(d *device.Profile) (m *Model, caveat string, err error) {
	m, err = Embedded(d.Name)
	switch {
	case errors.Is(err, ErrNoModel):
		return nil, alone + "no trained model ships for " + d.Name + sameGPU(d), nil
	case err == nil:
		err = m.Fits(d)
	case !errors.Is(err, errFeatures):
		return nil, "", err
	}
	if err != nil {
		return nil, alone + err.Error() + sameGPU(d), nil
	}
	return m, "", nil
}

// sameGPU names the built-in device that is the same GPU.
func sameGPU(d *device.Profile) string {
	if name := device.Measured(d.Title); name != "" {
		return "; the built-in " + name + ", measured on such a GPU, has one"
	}
	return ""
}

// Fits returns an error that wraps ErrModel unless the model was trained on
// this profile and these closed forms.
func (m *Model) Fits(d *device.Profile) error {
	if m.Device != d.Name {
		return invalid("it was trained for %s, not for %s", m.Device, d.Name)
	}
	if ProfileHash(d) != m.ProfileHash {
		return invalid("the profile of %s is not the one that it was trained on", d.Name)
	}
	// The profile is the one of the hash, so the outcome is always the same.
	m.checked.Do(func() {
		if ClosedFormsHash(d) != m.ClosedForms {
			m.outcome = invalid("the closed forms have changed since it was trained")
		}
	})
	return m.outcome
}

// ClosedFormsHash tells closed forms of all candidates on a device apart: a hash of the mean of
// ln(closed_us) of each over the reference streams and all types that it can run.
func ClosedFormsHash(d *device.Profile) string {
	bare, sum := WithoutHost(d), sha256.New()
	for _, v := range d.Ranked() {
		if mean, n := closedForm(v, bare); n > 0 {
			fmt.Fprintf(sum, "%s %.9g\n", v, mean)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// closedForm returns the mean over n streams and types.
func closedForm(v impl.Spec, d *device.Profile) (mean float64, n int) {
	sum := 0.0
	for _, t := range device.Types() {
		closed, err := speedup.CompileAll([]impl.Spec{v}, d, device.Call{Type: t})
		if err != nil {
			continue
		}
		for _, s := range ReferenceStreams() {
			s.WarpSize = int(d.Core.WarpLanes.Value)
			if closed.Check(&s, 0) == nil {
				var us [1]float64
				closed.US(&s, us[:])
				sum += math.Log(us[0])
				n++
			}
		}
	}
	return sum / float64(max(1, n)), n
}

// ReferenceStreams are a grouped stream over 16 targets and a nearly uniform
// one over 2^16, with figures of the size that such streams have.
var ReferenceStreams = strictjson.Embedded[[]collision.Stats]("tuner/model/references.json", &referencesText)

//go:embed references.json
var referencesText []byte

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
