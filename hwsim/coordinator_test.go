package hwsim

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// TestNoCoordinator: the device can run it, but it is no kernel program.
func TestNoCoordinator(t *testing.T) {
	cfg := Config{Device: profile(t, "hd5870"), Variant: variant.Variant{Base: variant.Coordinator}}
	for name, run := range map[string]func() error{
		"Run":      func() error { _, err := Run(cfg, []uint32{0}, 1); return err },
		"Estimate": func() error { _, err := Estimate(cfg, []uint32{0}, 1); return err },
	} {
		if err := run(); !errors.Is(err, device.ErrCannot) || !strings.Contains(err.Error(),
			"package coordinator") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
