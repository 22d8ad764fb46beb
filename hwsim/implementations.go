package hwsim

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
	place  func(*session)       // places arrays of its own, if any
	launch func(*session) error // launches what follows the clearing of the targets

	// Of the kernel that loops over the stream: what comes before and after the
	// loop, if anything, and how lanes add.
	open, close func(*updater)
	add         func(u *updater, index, value operand)

	// tiled: blocks take a tile of the stream each, in place of turns of a grid.
	tiled bool
	// grouped: each target's updates stand in one stretch of the stream.
	grouped bool
	// private: blocks share nothing but bandwidth and the targets to which they
	// add their copies in the end.
	private bool
	// direct: a turn of the loop adds to the targets at once, and so is short.
	direct bool
}

func baseOf(b variant.Base) (base, bool) {
	switch b {
	case variant.Global:
		return base{launch: (*session).loop, add: (*updater).addGlobal, direct: true}, true
	case variant.Private:
		return base{
			launch: (*session).loop, open: (*updater).openCopies, close: (*updater).flushCopies,
			add: (*updater).addShared, private: true,
		}, true
	case variant.Sort:
		return base{place: (*session).sortBuffers, launch: (*session).sort, tiled: true}, true
	case variant.SegReduce:
		return base{launch: (*session).reduceStream, tiled: true, grouped: true}, true
	case variant.ThreadPrivate:
		return base{launch: (*session).threadPrivate}, true
	}
	return base{}, false
}

// reduction is the part that says what a warp does before it adds.
type reduction struct {
	masks  func(*updater)                          // prepares what it needs of the lane's place in the warp
	draw   func(u *updater, group, groups operand) // opens its random sequence
	reduce func(u *updater, index, value operand)  // reduces the warp's updates and adds
	runs   bool                                    // of neighbours, which a re-layout keeps together
	long   bool                                    // a turn has many instructions
}

func reductionOf(r variant.Reduction) reduction {
	switch r {
	case variant.SR:
		return reduction{masks: (*updater).runMasks, reduce: (*updater).scanAndReduce, runs: true}
	case variant.VR:
		return reduction{masks: (*updater).laneMasks, draw: (*updater).openSequence, reduce: (*updater).voteAndReduce}
	case variant.Peers:
		return reduction{masks: (*updater).laneMasks, reduce: (*updater).ballotAndReduce, long: true}
	case variant.Match:
		return reduction{masks: (*updater).laneMasks, reduce: (*updater).matchAndReduce, long: true}
	}
	return reduction{reduce: (*updater).addOne}
}

// implementationOf returns what is known of an implementation; false where it is
// no kernel program.
func implementationOf(v variant.Variant) (implementation, bool) {
	b, ok := baseOf(v.Base)
	return implementation{b, reductionOf(v.Reduction)}, ok
}
