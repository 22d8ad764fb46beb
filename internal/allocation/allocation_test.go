package allocation

import (
	"fmt"
	"testing"
)

// recorder is a test that notes what it is told.
type recorder struct {
	testing.TB
	faults []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

var kept []byte

// TestBound: what is allocated beyond the bound is a fault, also where it is freed again, and not
// where only the first call allocates it.
func TestBound(t *testing.T) {
	const n = 1 << 20
	allocate := func(bytes int) func() {
		return func() {
			for range 2 {
				kept = make([]byte, bytes/2)
			}
		}
	}
	for bytes, faults := range map[int]int{Factor * n: 0, Factor*n + Constant + 1<<17: 1} {
		r := &recorder{}
		Bound(r, n, allocate(bytes))
		if len(r.faults) != faults {
			t.Errorf("%d bytes: %q", bytes, r.faults)
		}
	}
	r, first := &recorder{}, true
	Bound(r, 0, func() {
		if first {
			kept = make([]byte, 8*Constant)
		}
		first = false
	})
	if len(r.faults) > 0 {
		t.Errorf("what only the first call allocates: %q", r.faults)
	}
}
