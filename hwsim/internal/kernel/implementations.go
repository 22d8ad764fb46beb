package kernel

import "github.com/atomtune/atomtune/variant"

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
