// Package impl names the implementations of an atomic update stream.
//
// A name is `name[:key=value,...]`, parts joined by `+`, for example `naive`, `sr+ss`,
// `private:r=16,pad=1`, `hot:s=64,r=32+match`, `partition:w=32768` or `vr:m=4,t=20`; parameters
// belong to the part that they follow. String writes the canonical spelling, and Parse(v.String()) == v.
//
// # How to add an implementation
//
// An implementation is an algorithm (where sums are kept), a warp reduction (what a warp does before it
// adds), or both. Parts that there are combine in new ways by a name in lists.go alone. A new part takes
// these files, besides tests:
//
//  1. impl/table.go: its constant of type Algorithm or Reduction and its row, with its phases, what its
//     launches are, the header of its CUDA code and the implementation's name there; and impl/lists.go: its name
//     among those that choices rank. A parameter is a row of parameters.go and a field of Spec, with its
//     shared memory in SharedBytes or WarpBytes and its device memory in workspace.go.
//  2. hwsim/internal/kernel: its case in algorithms.go or reduce.go, and its kernel beside it. A shuffle
//     from a lane without an update gives a stale value.
//  3. speedup/implementations.go: the case of an algorithm in price, the case of a reduction in reduce with
//     its recipe; and a file of speedup where no formula there describes its phases.
//  4. cuda: its kernel in the headers and its line in kernels/calls.cuh; then "script/ptx --sass" where
//     nvcc is installed.
//
// Only where no other does as it:
//
//   - device/implementations.go, where it needs what no other needs. Copies of blocks or threads that fit,
//     and their launch, follow from the row. A launch beside the main one is a shape in device/shape.go.
//   - bindings/gpu/kernels/call.go and bindings/cuda/emit/call.go, where its kernel takes arguments of its own. The companion
//     of microbench/calls runs what launches several kernels.
//   - For the call that chooses on the GPU: its name in tuner/dispatch/grow/candidates.go and in the forms of
//     tuner/dispatch/source/source.go, from which "go generate" writes the enumerations and names of CUDA;
//     its case in run_form (bindings/cuda/atomtune_decide.cuh) and its shared memory in form_bytes
//     (atomtune_launch.cuh); then "script/regenerate dispatch".
//
// Implementations that add rows (device.Call.Width) have a wide entry in table.go and are listed in Wide (wide.go). device.RowShape
// cuts its rows, speedup/rows.go has its price, hwsim/internal/kernel/rowupdate.go its kernel, RowForm of
// bindings/cuda/atomtune_rows_call.cuh and rowForms of bindings/cuda/emit its name there. Recorded calls of lab/bench/rows judge it.
//
// A candidate then needs recorded calls, since the laboratory leaves out what was not measured. Every device
// ranks it and every tree corrects it by implementation, so that "script/regenerate renewed tables" follows: it
// simulates the new implementation in all sweeps and grows all trees anew.
// What needs the whole stream, as hot and partition do, or other formulas for other numbers of targets,
// as ranges do, touches more files.
package impl

// Mapping says which of the private copies a thread uses.
type Mapping uint8

// The mappings of [gomezluna13], offsets (1) and (2).
const (
	Cyclic Mapping = iota // copy = thread mod R
	Block                 // copy = floor(thread / (N/R)), N threads in the block
)

// Scope is the threads among whose updates a warp reduction finds equal targets, [egielski14] section
// 3.1.
type Scope uint8

// The scopes.
const (
	WarpScope  Scope = iota
	BlockScope       // what the warps of a block have left is reduced once more
)

// Masks is how `peers` finds the lanes of each target of a warp.
type Masks uint8

// The ways.
const (
	Ballots Masks = iota // a vote for each target
	Hash                 // places for targets in shared memory, with masks beside them [westphal15]
)

// MaskPlaces is the number of places that a warp has with masks=hash: twice its lanes.
const MaskPlaces = 64

// Class is the three-way choice of [egielski14] section 3.3.
type Class uint8

// The classes.
const (
	Naive Class = iota
	ReducedCollision
	NonAtomic
)

// String returns "naive", "reduced-collision" or "non-atomic".
func (c Class) String() string {
	return [...]string{"naive", "reduced-collision", "non-atomic"}[c]
}

// Implementation is one implementation with its parameters. The zero Implementation is
// `naive`. Implementations are comparable.
type Spec struct {
	Algorithm Algorithm
	Reduction Reduction
	Scatter   bool // updates re-laid on the host first [egielski14] Alg. 3
	Replicas  int  // R, copies per block; Private, Hot and Partition only, where 0 means 1
	Pad       int  // elements between copies; Private only
	Map       Mapping
	Ranges    int   // G, ranges of targets with blocks of their own; Private only, where 0 means 1
	Slots     int   // S, of the table of frequent targets; Hot only
	Sample    int   // M, updates in which a launch finds these; Hot only, where 0 means known ones
	Width     int   // W, targets of a range; Partition only
	Threshold int   // lanes from which SR and VR reduce; 0: the constants of the CUDA header
	Scope     Scope // SR only
	Samples   int   // M, addresses that VR puts to the vote; VR only, where 0 means 1
	Masks     Masks // Peers only
}

// R returns the number of private copies per block: at least 1.
func (v Spec) R() int { return max(v.Replicas, 1) }

// G returns the number of ranges into which the targets fall: at least 1.
func (v Spec) G() int { return max(v.Ranges, 1) }

// M returns the number of addresses that `vr` samples in a warp: at least 1.
func (v Spec) M() int { return max(v.Samples, 1) }

// T returns the number of lanes with one address from which `sr` (a run of neighbours) and `vr` (a
// sampled address) reduce them in a warp of so many lanes: the parameter t, or the constant of the
// CUDA header if there is none. It is 0 for implementations without a threshold.
func (v Spec) T(lanes int) int {
	if v.Threshold != 0 || !v.takes("t") {
		return v.Threshold
	}
	return reductions[v.Reduction].threshold(lanes)
}

// SharedBytes returns the shared memory that one block needs for its copies of bins targets of
// elemBytes bytes; 0 for implementations without copies per block:
//
//	private   R·(ceil(K/G)+P)·elemBytes, [gomezluna13] section 3
//	hot       4·S rounded up to 8 + R·(S + (R > 1))·elemBytes, tags and copies
//	partition R·(W + (R > 1))·elemBytes
//	sr        2·Records·(4 + elemBytes) with scope=block, two sets of targets and sums
//
// The size of ThreadPrivate depends on its block size: ThreadPrivateThreads.
func (v Spec) SharedBytes(bins uint64, elemBytes int) uint64 {
	if shared := table[v.Algorithm].shared; shared != nil {
		return shared(v, bins, uint64(elemBytes))
	}
	if v.Scope == BlockScope {
		return 2 * Records * (keyBytes + uint64(elemBytes))
	}
	return 0
}

// WarpBytes returns the shared memory that each warp of a block needs besides: of `peers` with
// masks=hash 8·MaskPlaces, for a target and a mask in each place.
func (v Spec) WarpBytes() uint64 {
	if v.Masks == Hash {
		return MaskPlaces * (keyBytes + maskBytes)
	}
	return 0
}

const maskBytes = 4

// Records is the number of sums that the warps of a block hand to one of them with scope=block, at
// most, and WarpRecords that of each: its first run of equal neighbours, and its last.
const (
	Records     = 32
	WarpRecords = 2
)

func copyBytes(v Spec, bins, element uint64) uint64 {
	return uint64(v.R()) * (v.RangeOf(bins) + uint64(v.Pad)) * element
}

func slotBytes(v Spec, _, element uint64) uint64 {
	return (keyBytes*uint64(v.Slots)+7)&^7 + uint64(v.R()*v.SlotStep())*element
}

func widthBytes(v Spec, _, element uint64) uint64 {
	return uint64(v.R()*v.WidthStep()) * element
}

// WidthStep returns the distance of the copies of a range of `partition` in elements, as SlotStep
// does for slots.
func (v Spec) WidthStep() int { return v.Width + v.Apart() }

// Buckets returns the number of ranges into which `partition` parts so many targets: ceil(bins/W).
func (v Spec) Buckets(bins uint64) uint64 {
	w := uint64(v.Width)
	return bins/w + min(1, bins%w)
}

// RangeOf returns the number of targets of which a block has copies: ceil(bins/G).
func (v Spec) RangeOf(bins uint64) uint64 {
	g := uint64(v.G())
	return bins/g + min(1, bins%g)
}

// SlotStep returns the distance of the copies of a slot in elements: S, and one more where there
// are several, so that neighbouring copies of a slot lie on different banks.
func (v Spec) SlotStep() int { return v.Slots + v.Apart() }

// Apart returns the number of elements between copies: P of `private`, and one where `hot` or
// `partition` have several.
func (v Spec) Apart() int {
	if v.Slots > 0 || v.Width > 0 {
		return min(1, v.R()-1)
	}
	return v.Pad
}

// ThreadPrivateThreads returns the threads per block of `threadprivate`, whose
// copies take bins·threads·elemBytes: the largest power of two from 256 down to
// one warp of warpLanes whose copies fit into half of sharedBytes (two blocks
// overlap then), else one warp if that fits the whole, else 0.
func ThreadPrivateThreads(bins uint64, elemBytes, warpLanes int, sharedBytes uint64) int {
	for t := 256; t >= warpLanes; t /= 2 {
		if bins <= sharedBytes/2/uint64(t*elemBytes) {
			return t
		}
	}
	if bins <= sharedBytes/uint64(warpLanes*elemBytes) {
		return warpLanes
	}
	return 0
}

// SortSharedBytes returns the shared memory of a block of 256 threads that
// sorts a tile by digits of 8 bits: per warp one counter per digit, per block
// three words per digit or warp, and the tile's elements of elemBytes bytes.
func SortSharedBytes(itemsPerThread, elemBytes, warpLanes int) uint64 {
	const threads, digits = 256, 256
	words := threads/warpLanes*digits + 2*digits + 16
	return uint64(4*words + threads*itemsPerThread*elemBytes)
}

// SortItems returns the elements per thread of `sort`: 16, or 8 where a block
// has not that much shared memory, or 0 where it has not even that.
func SortItems(elemBytes, warpLanes int, sharedBytes uint64) int {
	for _, items := range []int{16, 8} {
		if SortSharedBytes(items, elemBytes, warpLanes) <= sharedBytes {
			return items
		}
	}
	return 0
}

// SegmentThreshold is the smallest segment of equal neighbours for which `sr`
// scans a warp where its name has no t; below it the warp adds naively.
const SegmentThreshold = 2

// VoteThreshold is the number of lanes from which `vr` reduces a sampled
// index where its name has no t: the smallest x with (N - x) + log2 x + s <= x, [egielski14]
// inequality (2), for warps of N = 32 or 64 lanes and a set-up of s = 2 steps.
func VoteThreshold(lanes int) int { return lanes/2 + 4 }
