package price

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/rows"
)

// Check reports a call that is none by an error that wraps rows.ErrCall, and by one that wraps
// device.ErrCannot a device without what the header needs: warps of 32 lanes that match their
// values, an atomic that adds floats, and for targets of 16 bits one that adds these.
func Check(d *device.Profile, c rows.Call) error {
	if err := c.Validate(); err != nil {
		return err
	}
	switch {
	case d.Core.WarpLanes.Value != 32 || d.Paths != nil || !d.Exchange.HasMatch.Value:
		return fmt.Errorf("%w: updates of rows have no kernel on %s", device.ErrCannot, d.Title)
	case d.GlobalAtomics[d.Types[device.F32].Global].Mechanism != device.Native:
		return fmt.Errorf("%w: %s has no atomic addition of floats, which updates of rows need",
			device.ErrCannot, d.Title)
	case c.Kind == rows.BF16 && !vectors(d):
		return fmt.Errorf("%w: %s adds bfloat16 by compare-and-swap, which has no price of rows",
			device.ErrCannot, d.Title)
	}
	return nil
}

// vectors reports whether the device adds a piece of a row by one request: compute capability 9.0.
func vectors(d *device.Profile) bool {
	return d.Architecture == "Hopper" || d.Architecture == "Blackwell"
}
