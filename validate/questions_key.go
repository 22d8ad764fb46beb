package validate

import (
	"fmt"
	"math"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/variant"
)

// kernelKey tells calls apart.
type kernelKey struct {
	Label          string          `json:"label"` // of the stream: a spec of datasets/synth
	Call           device.Call     `json:"call"`
	Implementation variant.Variant `json:"implementation"`
}

func (k kernelKey) String() string {
	return fmt.Sprintf("%s, %s", k.Label, rowName(k.Implementation, k.Call))
}

// rowName names an implementation and a kind of call.
func rowName(v variant.Variant, c device.Call) string {
	name := fmt.Sprintf("%s, %s %s", v, c.Type, c.Operand)
	if c.Returns {
		name += ", old values returned"
	}
	return name
}

// best is the least time of an implementation that a rule may be held to.
func best(us map[variant.Variant]float64) float64 {
	least := math.Inf(1)
	for _, v := range tuner.OnDevice() {
		if t, ok := us[v]; ok {
			least = min(least, t)
		}
	}
	return least
}

// shaping reports whether the stream was among those from which the closed forms
// took their shape: it judges the simulator alone.
func shaping(label string) bool {
	return strings.HasPrefix(label, "uniform:n=4194304,") && strings.HasSuffix(label, ",seed=1")
}
