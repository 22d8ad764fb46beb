package experiment

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/hwsim/coordinator"
)

// TestDeadlock: Serial too sees a coordinator that never starts, and takes no times below 0.
func TestDeadlock(t *testing.T) {
	room := coordinator.Resident(builtin(t), 1)
	n := uint32(64 * room)
	for _, c := range []struct {
		fast float64
		last bool
		is   error
	}{{100, true, coordinator.ErrStuck}, {100, false, nil}, {-1, false, coordinator.ErrKernel}} {
		r, err := coordinator.Run(AtomicOnly(room, 1, 64), coordinator.Options{Device: builtin(t), Force: true,
			Regime: Serial{Fast: c.fast, Local: 1}, CoordinatorLast: c.last})
		if !errors.Is(err, c.is) || err == nil && r.Final[0] != n*(n-1)/2 {
			t.Errorf("%+v: %v, %v", c, r.Final, err)
		}
	}
}
