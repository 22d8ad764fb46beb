package recorded

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// CallKey tells calls apart.
type CallKey struct {
	Label          string          `json:"label"` // of the stream: a spec of datasets/synth
	Call           device.Call     `json:"call"`
	Implementation variant.Variant `json:"implementation"`
}

func (k CallKey) String() string {
	return fmt.Sprintf("%s, %s", k.Label, KindName(k.Implementation, k.Call))
}

// KindName names an implementation and a kind of call.
func KindName(v variant.Variant, c device.Call) string {
	name := fmt.Sprintf("%s, %s %s", v, c.Type, c.Operand)
	if c.Returns {
		name += ", old values returned"
	}
	return name
}

// Best is the least time of an implementation that a rule may be held to.
func Best(us map[variant.Variant]float64) float64 {
	least := math.Inf(1)
	for _, v := range variant.OnDevice() {
		if t, ok := us[v]; ok {
			least = min(least, t)
		}
	}
	return least
}

// Shaping reports whether the stream was among those from which the closed forms
// took their shape: it judges the simulator alone.
func Shaping(label string) bool {
	return strings.HasPrefix(label, "uniform:n=4194304,") && strings.HasSuffix(label, ",seed=1")
}

// Priced is the closed form's time, NaN where it cannot price the stream.
func Priced(m *speedup.Model, s collision.Stats) float64 {
	if m.Check(&s) != nil {
		return math.NaN()
	}
	return m.US(&s)
}

func (k CallKey) Compare(o CallKey) int {
	returns := func(c device.Call) int {
		if c.Returns {
			return 1
		}
		return 0
	}
	return cmp.Or(strings.Compare(k.Label, o.Label), cmp.Compare(k.Call.Type, o.Call.Type),
		cmp.Compare(k.Call.Operand, o.Call.Operand), cmp.Compare(returns(k.Call), returns(o.Call)),
		strings.Compare(k.Implementation.String(), o.Implementation.String()))
}
