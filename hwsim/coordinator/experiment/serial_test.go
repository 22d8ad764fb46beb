package experiment

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/hwsim/coordinator"
)

// TestDeadlock forces one workgroup too many, the coordinator dispatched last, and
// first: see the test of this name in package coordinator.
func TestDeadlock(t *testing.T) {
	d := builtin(t)
	room := coordinator.Resident(d, 1)
	k := AtomicOnly(room, 1, 64)
	o := coordinator.Options{
		Device: d, Regime: Serial{Fast: 100, Local: 1}, Force: true, CoordinatorLast: true,
	}
	if _, err := coordinator.Run(k, o); !errors.Is(err, coordinator.ErrStuck) ||
		!strings.Contains(err.Error(), "0 of 141 workgroups have ended and 140 run") {
		t.Errorf("coordinator last: %v", err)
	}
	o.CoordinatorLast = false
	n := uint32(64 * room)
	if r, err := coordinator.Run(k, o); err != nil || r.Final[0] != n*(n-1)/2 {
		t.Errorf("coordinator first: %v, %v", r.Final, err)
	}
}

func TestBadSerial(t *testing.T) {
	o := coordinator.Options{Device: builtin(t), Regime: Serial{Fast: -1}}
	if _, err := coordinator.Run(AtomicOnly(2, 1, 64), o); !errors.Is(err, coordinator.ErrKernel) ||
		!strings.Contains(err.Error(), "-1 cycles") {
		t.Errorf("error %v", err)
	}
}
