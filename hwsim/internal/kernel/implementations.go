package kernel

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// implementation is what the simulator knows of an implementation: how it lies in
// memory, what it launches, and how its kernels work. A new one is a row of bases
// or of reductions, and one file with its kernels.
type implementation struct {
	base
	reduction
}

// base is the part that says where sums are kept.
type base struct {
	place  func(*Session)       // places arrays of its own, if any
	launch func(*Session) error // launches what follows the clearing of the targets

	// Of the kernel that loops over the stream: what comes before and after the
	// loop, if anything, and how lanes add.
	open, close func(*Updater)
	add         func(u *Updater, index, value operand)

	// Tiled: blocks take a tile of the stream each, in place of turns of a grid.
	Tiled bool
	// grouped: each target's updates stand in one stretch of the stream.
	grouped bool
	// Private: blocks share nothing but bandwidth and the targets to which they
	// add their copies in the end.
	Private bool
	// Direct: a turn of the loop adds to the targets at once, and so is short.
	Direct bool
}

func baseOf(b variant.Base) (base, bool) {
	switch b {
	case variant.Global:
		return base{launch: (*Session).loop, add: (*Updater).addGlobal, Direct: true}, true
	case variant.Private:
		return base{
			launch: (*Session).loop, open: (*Updater).openCopies, close: (*Updater).FlushCopies,
			add: (*Updater).addShared, Private: true,
		}, true
	case variant.Sort:
		return base{place: (*Session).sortBuffers, launch: (*Session).sort, Tiled: true}, true
	case variant.SegReduce:
		return base{launch: (*Session).reduceStream, Tiled: true, grouped: true}, true
	case variant.ThreadPrivate:
		return base{launch: (*Session).threadPrivate}, true
	}
	return base{}, false
}

// reduction is the part that says what a warp does before it adds.
type reduction struct {
	masks  func(*Updater)                          // prepares masks of lanes
	draw   func(u *Updater, group, groups operand) // opens its random sequence
	reduce func(u *Updater, index, value operand)  // reduces the warp's updates and adds

	runs bool // of neighbours, which a re-layout keeps together
	// Long: a turn has many instructions.
	Long bool
}

func reductionOf(r variant.Reduction) reduction {
	switch r {
	case variant.SR:
		return reduction{masks: (*Updater).runMasks, reduce: (*Updater).scanAndReduce, runs: true}
	case variant.VR:
		return reduction{masks: (*Updater).laneMasks, draw: (*Updater).openSequence,
			reduce: (*Updater).voteAndReduce}
	case variant.Peers:
		return reduction{masks: (*Updater).laneMasks, reduce: (*Updater).ballotAndReduce, Long: true}
	case variant.Match:
		return reduction{masks: (*Updater).laneMasks, reduce: (*Updater).matchAndReduce, Long: true}
	}
	return reduction{reduce: (*Updater).addOne}
}

// ImplementationOf returns what is known of an implementation; false where it is
// no kernel program.
func ImplementationOf(v variant.Variant) (implementation, bool) {
	b, ok := baseOf(v.Base)
	return implementation{b, reductionOf(v.Reduction)}, ok
}

// The bounds of package hwsim.
const (
	MaxUpdates = 1 << 28
	MaxBins    = 1 << 26
)

// Check reports a call that the device cannot make, or that is none.
func Check(d *device.Profile, call device.Call, v variant.Variant, indices []uint32,
	bins uint64) error {
	if d == nil {
		return fmt.Errorf("%w: no device", machine.ErrStream)
	}
	if err := v.Validate(); err != nil {
		return fmt.Errorf("%w: %v", machine.ErrStream, err)
	}
	if err := d.CanCall(v, call, bins); err != nil {
		return err
	}
	how, known := ImplementationOf(v)
	switch {
	case !known:
		return fmt.Errorf("%w: %s is no kernel program: package coordinator simulates it",
			device.ErrCannot, v)
	case len(indices) == 0:
		return fmt.Errorf("%w: no updates", machine.ErrStream)
	case len(indices) > MaxUpdates:
		return fmt.Errorf("%w: %d updates, at most %d", machine.ErrStream, len(indices), MaxUpdates)
	case bins > MaxBins:
		return fmt.Errorf("%w: %d targets, at most %d", machine.ErrStream, bins, MaxBins)
	case call.Validate() != nil:
		return call.Validate()
	case call.Returns && !v.ReturnsOld():
		return fmt.Errorf("%w: %s does not return the old values", device.ErrCannot, v)
	}
	for i, x := range indices {
		if uint64(x) >= bins {
			return fmt.Errorf("%w: update %d: index %d is not below %d targets", machine.ErrStream, i, x,
				bins)
		}
	}
	if how.grouped && !grouped(indices, bins) {
		return fmt.Errorf("%w: %s needs a stream in which each target stands in one stretch",
			machine.ErrStream, v)
	}
	return nil
}

// grouped reports whether each target stands in one stretch of the stream.
func grouped(indices []uint32, bins uint64) bool {
	seen := make([]uint64, bins/64+1)
	for i, x := range indices {
		if i > 0 && indices[i-1] == x {
			continue
		}
		if seen[x>>6]>>(x&63)&1 != 0 {
			return false
		}
		seen[x>>6] |= 1 << (x & 63)
	}
	return true
}

// operand is a register of a program, or an immediate.
type operand = machine.Operand

func imm(v uint64) operand { return machine.Imm(v) }
