package coordinator

import (
	"testing"

	"github.com/atomtune/atomtune/device"
)

func builtin(t testing.TB) *device.Profile {
	t.Helper()
	d, err := device.Builtin("hd5870")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// threads is a kernel whose threads add their global index to one variable.
func threads(groups, wavefronts, lanes int) *Kernel {
	k := &Kernel{Variables: []uint32{0}}
	thread := uint32(0)
	for range groups {
		group := make(Workgroup, wavefronts)
		for w := range group {
			var s Statement
			for lane := range lanes {
				s.Updates = append(s.Updates, Update{Lane: lane, Operand: thread})
				thread++
			}
			group[w] = Wavefront{s}
		}
		k.Groups = append(k.Groups, group)
	}
	return k
}
