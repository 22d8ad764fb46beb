package tuner

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// keyBytes is the size of an index, and of a counter.
const keyBytes = 4

// workspace works out the device memory that implementations take beside the
// stream and the targets.
type workspace struct {
	limits device.Limits
	call   device.Call
	relaid bool
}

// ScratchBytes returns the device memory, in bytes, that an implementation
// takes for one call beside the indices, values, old values and targets, with n
// updates of k targets of s bytes each and v bytes of value per update (s, or 0
// where a constant is added) and S bytes per sum of a run (s, or a counter of 4
// bytes where a constant is added):
//
//	ss, sr+ss      n · (4 + v)                  the stream as it is re-laid; 0 if relaid
//	sort           n · (4 + v) · min(2, d)      d digits of 8 bits, each sorted from one side to the other
//	               + 1024 · (d + n / tile)      counts of each digit, and of each tile
//	               + min(n, k) · (4 + S) + 4    each run's target and sum
//	segreduce      n · (4 + S) + 4              the same, with room for a run of each update
//	threadprivate  k · blocks · s               partial sums
//	coordinator    6 · 4 · slots                six arrays of a word per workgroup, each of whole 256 bytes
//
// and none for those that work in shared memory and at the targets. These are
// the arrays of cuda/atomtune_sort.cuh and of the simulators; the library
// kernels beneath sort and segreduce align them to 256 bytes and keep a few
// words per tile beside them, which are left out here.
func ScratchBytes(v variant.Variant, d *device.Profile, c device.Call, updates, bins uint64, relaid bool) uint64 {
	w := workspace{d.Limits(), c, relaid}
	return w.bytes(v, updates, bins)
}

// bytes is ScratchBytes; what does not fit into 64 bits is the largest number.
func (w *workspace) bytes(v variant.Variant, updates, bins uint64) uint64 {
	if updates > math.MaxUint64>>8 {
		updates = math.MaxUint64 >> 8
	}
	size := uint64(w.call.Type.Bytes())
	value, sum := size, size
	if w.call.Operand == device.One {
		value, sum = 0, keyBytes
	}
	switch {
	case v.Scatter && w.relaid:
		return 0
	case v.Scatter:
		return updates * (keyBytes + value)
	case v.Base == variant.Sort:
		runs := min(updates, bins)*(keyBytes+sum) + keyBytes
		return w.sortBytes(updates, bins, value) + runs
	case v.Base == variant.SegReduce:
		return updates*(keyBytes+sum) + keyBytes
	case v.Base == variant.ThreadPrivate:
		return bins * w.limits.Shape(v, w.call.Type, bins, updates).Blocks * size
	case v.Base == variant.Coordinator:
		return w.coordinatorBytes(updates)
	}
	return 0
}

// sortBytes is what a sort takes before the reduction of runs.
func (w *workspace) sortBytes(updates, bins, value uint64) uint64 {
	const digit, block = 256, 256 // values of a digit, threads of a block
	digits := uint64(bits.Len64(max(bins, 2)-1)+7) / 8
	items := uint64(variant.SortItems(w.call.Type.Bytes(), w.limits.WarpLanes, w.limits.SharedBytes))
	tiles := (updates + block*max(items, 1) - 1) / (block * max(items, 1))
	return updates*(keyBytes+value)*min(2, digits) + keyBytes*digit*(digits+tiles)
}

// coordinatorBytes is what the protocol's arrays take: one slot for each
// workgroup of one wavefront that runs beside the coordinator, and its own.
func (w *workspace) coordinatorBytes(updates uint64) uint64 {
	const arrays, chunk = 6, 256
	lanes := uint64(w.limits.WarpLanes)
	resident := uint64(min(w.limits.MaxBlocks, w.limits.MaxWarps)*w.limits.SMs) - 1
	slots := min((updates+lanes-1)/lanes, resident) + 1
	return arrays * ((slots*keyBytes + chunk - 1) / chunk * chunk)
}

// within returns the memory that an implementation takes, and the reason for
// which the options do not admit it, nil if they do.
func (c *Chooser) within(v variant.Variant, updates, bins uint64) (bytes uint64, err error) {
	most := c.opts.MemoryBytes
	bytes = c.workspace.bytes(v, updates, bins)
	if err = c.opts.admits(v); err == nil && most != 0 && bytes > most {
		err = &refusal{v, "needs " + size(bytes) + ", " + allowed(most)}
	}
	return bytes, err
}

// allowed says what Options.MemoryBytes allows.
func allowed(most uint64) string {
	if most == 1 {
		return "none allowed"
	}
	return size(most) + " allowed"
}

// size prints a number of bytes: in binary units where these are whole, else in
// decimal ones with three digits.
func size(bytes uint64) string {
	binary, unit := bytes, -1
	for unit < 3 && binary >= 1024 && binary%1024 == 0 {
		binary, unit = binary/1024, unit+1
	}
	if unit >= 0 {
		return fmt.Sprintf("%d %ciB", binary, "KMGT"[unit])
	}
	decimal := float64(bytes)
	for unit < 3 && decimal >= 999.5 {
		decimal, unit = decimal/1000, unit+1
	}
	if unit < 0 {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.3g %cB", decimal, "kMGT"[unit])
}
