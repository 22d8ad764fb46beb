package recorded

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup"
)

// CallKey tells calls apart.
type CallKey struct {
	Label          string      `json:"label"` // of the stream: a spec of datasets/synth
	Call           device.Call `json:"call"`
	Implementation impl.Spec   `json:"implementation"`
}

func (k CallKey) String() string {
	return fmt.Sprintf("%s, %s", k.Label, KindName(k.Implementation, k.Call))
}

// KindName names an implementation and a kind of call.
func KindName(v impl.Spec, c device.Call) string {
	name := fmt.Sprintf("%s, %s", v, CallName(c))
	if c.Returns {
		name += ", old values returned"
	}
	return name
}

// CallName names a kind of call.
func CallName(c device.Call) string { return fmt.Sprintf("%s %s", c.Type, c.Operand) }

// Compare orders keys by label, kind of call and implementation.
func (k CallKey) Compare(o CallKey) int {
	return cmp.Or(strings.Compare(k.Label, o.Label), cmp.Compare(k.Call.Type, o.Call.Type),
		cmp.Compare(k.Call.Operand, o.Call.Operand),
		strings.Compare(strconv.FormatBool(k.Call.Returns), strconv.FormatBool(o.Call.Returns)),
		strings.Compare(k.Implementation.String(), o.Implementation.String()))
}

// Prices are closed forms on a device, without the host's re-layout, which is part of no
// recorded time.
type Prices struct {
	bare   device.Profile
	models map[CallKey]*speedup.Bundle // by implementation and call; nil if there is none
}

// NewPrices returns the closed forms on a device.
func NewPrices(d *device.Profile) *Prices {
	p := &Prices{*d, map[CallKey]*speedup.Bundle{}}
	p.bare.Host.Relayout.Value = 0
	return p
}

// US is the time of a call, NaN where it cannot be priced.
func (p *Prices) US(v impl.Spec, s *collision.Stats, c device.Call) float64 {
	key := CallKey{Call: c, Implementation: v}
	m, ok := p.models[key]
	if !ok {
		m, _ = speedup.CompileAll([]impl.Spec{v}, &p.bare, c) // nil with an error
		p.models[key] = m
	}
	if m == nil || m.Check(s, 0) != nil {
		return math.NaN()
	}
	var us [1]float64
	m.US(s, us[:])
	return us[0]
}
