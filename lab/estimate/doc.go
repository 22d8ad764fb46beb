// Package estimate makes profiles of GPUs that nobody measured, of public figures and the profile of
// another GPU, by one rule:
//
//   - What a document states is that.
//   - The number of slices goes with the bytes that L2 reads in a cycle, where documents state these
//     for both GPUs, else with the number of SMs. It is a multiple of region_slices.
//   - The rate of L2 goes with slices and clock, rates of memory go with the published bandwidth,
//     what L2 keeps under atomics with its size. What a miss adds is a time: its cycles go with the
//     clock.
//   - What a warp's lanes take one after the other goes with their number: issue, and the ports of
//     shuffles and ballots. As many threads are resident.
//   - What documents say is added natively, and the other GPU adds otherwise, takes what its native
//     addition of u32 takes. A match that the other has not takes one ballot a key.
//   - Everything else is the other GPU's: cycles of mechanisms, sizes, times of launches.
//
// The other GPU, the base, is the one with a profile of readings of the same vendor, else of any, of
// the nearest compute capability, and among these of the nearest bandwidth of memory. Its slice hash
// and its figures of operations that no kernel uses are not taken over. From another vendor's base,
// neither are the patterns of single warps and the merging of equal constants.
//
// A GPU that nobody measured is two files: an entry of figures.json, each figure with its document, and
// the profile device/profiles/NAME.json. "script/regenerate profiles" makes the second of the first, and
// the documents anew. An entry needs the number of SMs, the size of L2 and the bandwidth of memory, and
// without a clock has the base's; the group of its compute capability has the rest. No tree need be grown:
// answers then say that they come from the cost model alone. Where the profile of a base or the rule has changed,
// "script/regenerate profiles estimates" also makes the figures that choices print. A profile of
// readings takes the place of an estimate.
package estimate

import "errors"

// ErrFigures reports public figures that make no profile.
var ErrFigures = errors.New("broken public figures")
