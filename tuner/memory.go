package tuner

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// bytes returns the device memory that an implementation takes for one call in that launch beside
// the stream and the targets: see variant.Variant.WorkspaceBytes.
func (c *Chooser) bytes(v variant.Variant, fixed device.Launch, updates, bins uint64) uint64 {
	l, call := c.limits, c.opts.Call
	size := uint64(call.Type.Bytes())
	w := variant.Workspace{Updates: updates, Bins: bins, Element: size, Value: size, Sum: size,
		Blocks:   l.Shape(v, call.Type, bins, updates, fixed).Blocks,
		Resident: uint64(min(l.MaxBlocks, l.MaxWarps) * l.SMs), WarpLanes: l.WarpLanes,
		SharedBytes: l.SharedBytes, Relaid: c.opts.Relaid}
	if call.Operand == device.One { // runs are counted in words
		w.Value, w.Sum = 0, 4
	}
	return v.WorkspaceBytes(w)
}

// within returns the reason for which the options do not admit an implementation, nil if they do.
func (c *Chooser) within(v variant.Variant, fixed device.Launch, updates, bins uint64) error {
	most, bytes := c.opts.MemoryBytes, c.bytes(v, fixed, updates, bins)
	if err := c.opts.admits(v); err != nil || most == 0 || bytes <= most {
		return err
	}
	allowed := "none"
	if most > 1 {
		allowed = size(most)
	}
	return &refusal{v, "needs " + size(bytes) + ", " + allowed + " allowed"}
}

// size prints a number of bytes: in binary units where these are whole, else in
// decimal ones with three digits.
func size(bytes uint64) string {
	if bytes < 1000 {
		return fmt.Sprintf("%d B", bytes)
	}
	binary, unit := bytes, -1
	for unit < 3 && binary%1024 == 0 {
		binary, unit = binary/1024, unit+1
	}
	if unit >= 0 {
		return fmt.Sprintf("%d %ciB", binary, "KMGT"[unit])
	}
	decimal := float64(bytes)
	for unit < 3 && decimal >= 999.5 {
		decimal, unit = decimal/1000, unit+1
	}
	return fmt.Sprintf("%.3g %cB", decimal, "kMGT"[unit])
}
