package calls

import (
	"github.com/atomtune/atomtune/device"
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

// launches lists what is measured besides the rule's launch.
func (m *measurement) launches(c device.Call, v variant.Variant) (list []device.Launch) {
	if !m.suite.Launches || inLibrary(v) {
		return nil
	}
	name, l := updateKernel(v, c), m.suite.limits
	kernel := m.Kernel(updateKernels()[name].module, name)
	for _, fixed := range l.Launches() {
		idle := (fixed.Blocks-1)*uint64(fixed.Threads) >= m.updates()
		if fixed.Unroll > 1 || idle || l.Lacks(v, c.Type, m.in.bins, fixed) != "" || !m.OK() {
			continue
		}
		s := l.Shape(v, c.Type, m.in.bins, m.updates(), fixed)
		if m.Resident(kernel, s.Threads, s.SharedBytes) > 0 && m.Err() == nil {
			list = append(list, fixed)
		}
	}
	return list
}
