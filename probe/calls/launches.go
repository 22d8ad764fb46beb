package calls

import (
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/gpu/kernels"
	"github.com/atomtune/atomtune/variant"
)

// measureLaunches measures an implementation in the rule's launch, and in others where they are
// asked for.
func (m *measurement) measureLaunches(c device.Call, v variant.Variant) {
	m.measure(c, v, device.Launch{})
	for _, fixed := range m.launches(c, v) {
		if m.OK() {
			m.measure(c, v, fixed)
		}
	}
}

// launches reports whether an implementation is measured in other launches than the rule's.
func (c *suite) launches(v variant.Variant) bool {
	return c.Launches && !inLibrary(v) &&
		(c.allLaunched || len(c.Implementations) > 0 || slices.Contains(launched, v))
}

// launches lists what is measured besides the rule's launch, of turns at once those that have a
// kernel.
func (m *measurement) launches(c device.Call, v variant.Variant) (list []device.Launch) {
	if !m.suite.launches(v) {
		return nil
	}
	l := m.suite.limits
	rule := l.Shape(v, c.Type, m.in.bins, m.updates(), device.Launch{})
	for _, fixed := range l.Launches() {
		idle := (fixed.Blocks-1)*uint64(fixed.Threads) >= m.updates()
		s := l.Shape(v, c.Type, m.in.bins, m.updates(), fixed)
		if idle || s.Blocks == rule.Blocks && s.Threads == rule.Threads && s.Unroll == rule.Unroll {
			continue
		}
		if m.OK() && m.fits(c, v, fixed) {
			list = append(list, fixed)
		}
	}
	return list
}

// fits reports whether there is a kernel for a launch of which an SM holds a block.
func (m *measurement) fits(c device.Call, v variant.Variant, fixed device.Launch) bool {
	asked := kernels.Call{Implementation: v, Does: c, Fixed: fixed, Bins: m.in.bins, Updates: m.updates()}
	return asked.Lacks(&m.suite.device) == "" && asked.Fits(m.Session, m.suite.limits)
}
