package gpu

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/must"
)

// TestNoEstimate: a GPU that was measured finds its profile by the name that its driver gives it; one
// of which there is only an estimate finds none unless a caller names it.
func TestNoEstimate(t *testing.T) {
	found := 0
	for _, name := range device.Names() {
		d := must.Get(device.Builtin(name))(t)
		p, err := builtin(d.Title)
		if err != nil || (p == nil) != (d.Estimate != nil) || p != nil && p.Name != name {
			t.Errorf("%s: %v, %v", d.Title, p, err)
		}
		if p != nil {
			continue
		}
		found++
		if why := unknown(d.Title); !strings.Contains(why, d.Title) || !strings.Contains(why, name) {
			t.Error(why)
		}
	}
	if found == 0 {
		t.Error("no estimates")
	}
	if why := unknown("abacus"); !strings.Contains(why, "abacus") {
		t.Error(why)
	}
}
