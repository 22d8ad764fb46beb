package impl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Algorithm says where an implementation keeps its sums while it runs.
type Algorithm uint8

// The algorithms, in the order in which tables list them.
const (
	Global        Algorithm = iota // updates go straight to the targets in global memory
	Private                        // copies per block in shared memory, flushed at the end
	Coordinator                    // a coordinator workgroup adds for all others [elteir11]
	Sort                           // radix sort by key, then segmented reduction
	SegReduce                      // segmented reduction of a stream that is already grouped
	ThreadPrivate                  // copies per thread in shared memory, then reduction
	Hot                            // frequent targets per block in shared memory, others in place
	Partition                      // one radix pass to ranges of targets, then copies of each range
)

// Reduction says what a warp does to its updates before it adds them.
type Reduction uint8

// The warp reductions.
const (
	None           Reduction = iota // every lane adds for itself
	SR                              // segmented scan over equal neighbours [egielski14] Alg. 1, mended
	VR                              // vote on a sampled lane's index, reduce its lanes [egielski14] Alg. 2
	Peers                           // groups of equal keys, by ballot or hash, tree reduction [westphal15]
	Match                           // as Peers, the groups found by the match instruction
	Runs                            // neighbouring updates of a row are added first; of rows alone
	ReductionCount = iota
)

// row is what holds of every implementation of one algorithm.
type row struct {
	part
	does      string // about collisions, in words
	class     Class
	site      Site
	grouped   bool     // right on streams alone in which equal targets stand together
	reorders  bool     // brings the stream into another order
	returns   bool     // can hand each update the old value of its target; with copies unreduced alone
	combines  bool     // with reductions
	scatters  bool     // with ss
	kernels   bool     // several, none of which loops over the stream in a grid's stride
	protocol  bool     // a workgroup adds whole numbers for all others, of 32 bits, without their atomics
	header    string   // that declares its CUDA code, "" for none
	phases    []string // of its time, in the order in which they run; of one kernel too
	fetches   []string // of two passes over the stream, which find old values
	workspace func(w Workspace) uint64
	// shared is what a block's copies take: their number of targets is that of the call.
	shared func(v Spec, bins, element uint64) uint64
	wide   *wide // where each update adds a row; nil: it does not
}

// wide is what holds of an implementation where each update adds a row of elements.
type wide struct {
	does  string
	class Class
}

const kernels = "atomtune_kernels.cuh" // the header of what a kernel does in a grid's stride

// part is what holds of an algorithm or a warp reduction as a part of names.
type part struct {
	name       string
	parameters []string // in the order in which String writes them
	title      string   // what texts call it where its name says little
	leads      bool     // the first parameter stands wherever another does
	needs      string   // a parameter without which it is none
}

func (p part) takes(parameter string) bool { return slices.Contains(p.parameters, parameter) }

// table holds a row for each algorithm. The constants of type Algorithm are its places.
var table = [...]row{
	Global: {part: part{name: "naive", title: "plain atomics"}, class: ReducedCollision,
		does: "each update is one atomic", site: AtTargets, returns: true, combines: true,
		scatters: true, header: kernels, phases: []string{"start", "update"},
		wide: &wide{"an atomic for each element, where it belongs", Naive}},
	Private: {part: part{name: "private", parameters: []string{"r", "pad", "map", "ranges"},
		title: "private copies", leads: true},
		does:  "each block adds to its own copy in shared memory",
		class: ReducedCollision, site: PerBlock, returns: true, combines: true, shared: copyBytes,
		header:  kernels,
		phases:  []string{"zero", "start", "update", "flush"},
		fetches: []string{"zero", "start", "count", "place", "restart", "fetch"}},
	Coordinator: {part: part{name: "coordinator"}, does: "one workgroup adds for all others",
		class: ReducedCollision, site: AtTargets, returns: true, kernels: true, protocol: true,
		phases: []string{"coordinate"}, workspace: groupBytes},
	Sort: {part: part{name: "sort"}, does: "sorted updates are summed without atomics",
		class: NonAtomic, site: InRuns, reorders: true, kernels: true, header: "atomtune_sort.cuh",
		phases: []string{"histogram", "sort", "segments", "store"}, workspace: sortBytes,
		wide: &wide{"the updates are sorted by row, and those of a row are added first", ReducedCollision}},
	SegReduce: {part: part{name: "segreduce", title: "segmented reduction"},
		does:  "equal targets are adjacent and are summed without atomics",
		class: NonAtomic, site: InRuns, grouped: true, kernels: true, header: "atomtune_sort.cuh",
		phases: []string{"segments", "store"}, workspace: runBytes},
	ThreadPrivate: {part: part{name: "threadprivate", title: "copies per thread"},
		does:  "each thread adds to its own copy without atomics",
		class: NonAtomic, site: PerThread, header: kernels, phases: []string{"zero", "update", "flush", "sum"},
		workspace: threadBytes},
	Hot: {part: part{name: "hot", parameters: []string{"s", "r", "sample"}, title: "hot targets",
		needs: "s"},
		does: "each block adds to the most frequent targets in its own copy in shared memory, " +
			"and to the other targets in global memory",
		class: ReducedCollision, site: PerBlock, returns: true, combines: true, shared: slotBytes,
		header:    kernels,
		phases:    []string{"sample", "zero", "start", "update", "flush"},
		fetches:   []string{"sample", "zero", "start", "count", "place", "restart", "fetch"},
		workspace: tagBytes,
		wide: &wide{"neighbouring updates of a row are added first, and the sums of frequent rows, found by a " +
			"sample, stay in the shared memory of each warp", ReducedCollision}},
	Partition: {part: part{name: "partition", parameters: []string{"w", "r"}, needs: "w"},
		does:  "the stream is split by ranges of targets, and blocks add each range to their own copy in shared memory",
		class: ReducedCollision, site: PerBlock, reorders: true, kernels: true, shared: widthBytes,
		header: "atomtune_partition_update.cuh", phases: []string{"count", "split", "add"}, workspace: bucketBytes},
}

// reductionRow is what holds of a warp reduction.
type reductionRow struct {
	part
	sums      string              // what the warp sums, in words
	scatters  bool                // combines with ss
	threshold func(lanes int) int // where the name has no t
	fixed     int                 // the t that names leave out
	cuda      string              // its name in the CUDA headers
	wide      *wide               // see row; that of rows alone has nothing else
}

// reductions holds a row for each warp reduction, in the place of its constant.
var reductions = [...]reductionRow{
	None: {scatters: true, cuda: "Naive"},
	SR: {part: part{name: "sr", parameters: []string{"t", "scope"}}, scatters: true,
		sums:      "neighbouring updates of equal targets",
		threshold: func(int) int { return SegmentThreshold }, fixed: SegmentThreshold,
		cuda: "ScanReduce"},
	VR: {part: part{name: "vr", parameters: []string{"m", "t"}}, threshold: VoteThreshold,
		sums: "the updates of a target that enough lanes share", cuda: "VoteReduce"},
	Peers: {part: part{name: "peers", parameters: []string{"masks"}}, sums: "the updates of each of its targets",
		cuda: "Peers"},
	Match: {part: part{name: "match"}, sums: "the updates of each of its targets", cuda: "Match"},
	Runs: {part: part{name: "runs"}, wide: &wide{"neighbouring updates of a row are added first, and each run " +
		"is one addition to its row", ReducedCollision}},
}

const scatter = "ss" // the name of the re-layout on the host

// Names lists the part names of implementations for single targets, in the order of the tables.
func Names() []string {
	names := []string{table[Global].name}
	for _, r := range reductions[1:Runs] {
		names = append(names, r.name)
	}
	names = slices.Insert(names, 3, scatter)
	for _, b := range table[1:] {
		names = append(names, b.name)
	}
	return names
}

// Worthwhile reports whether anyone would run the implementation on so many targets of so many
// bytes: a table of hot targets has no more slots than there are targets, since copies hold all
// of them as well, a partition has several ranges, and a range of targets takes a sixteenth of
// 228 KiB or more of a block's shared memory.
func (v Spec) Worthwhile(bins uint64, elementBytes int) bool {
	const least = 14 << 10
	return uint64(v.Slots) <= bins && uint64(v.Width) < max(1, bins) &&
		(v.G() == 1 || v.SharedBytes(bins, elementBytes) >= least)
}

// String returns the part's name; Global is "naive".
func (b Algorithm) String() string {
	if int(b) < len(table) {
		return table[b].name
	}
	return fmt.Sprintf("Base(%d)", uint8(b))
}

// String returns the part's name, empty for None.
func (r Reduction) String() string {
	if int(r) < len(reductions) {
		return reductions[r].name
	}
	return ""
}

// Class returns the class of the implementation.
func (v Spec) Class() Class {
	if v.IsNaive() {
		return Naive
	}
	return table[v.Algorithm].class
}

// IsNaive reports whether every update is one atomic at its target.
func (v Spec) IsNaive() bool { return v == Spec{} }

// Simplicity orders implementations by what they take to write and to run, wide where each update adds a row: 0 for
// plain atomics, 1 for one warp reduction by match or scan, 2 for private copies, 3 for all others, and 4 for those
// that must be told the frequent targets beforehand. Of as fast ones the least is the choice.
func (v Spec) Simplicity(wide bool) int {
	switch of := (Spec{Reduction: v.Reduction}); {
	case !wide && v.NeedsTargets():
		return 4
	case v.IsNaive():
		return 0
	case v == of && (v.Reduction == Match || v.Reduction == SR || v.Reduction == Runs):
		return 1
	case v.Algorithm == Private && v.Reduction == None && v.G() == 1:
		return 2
	}
	return 3
}

// Site returns where the implementation adds its updates.
func (v Spec) Site() Site { return table[v.Algorithm].site }

// SeveralKernels reports whether a call launches several kernels whose grids follow from the stream.
func (v Spec) SeveralKernels() bool { return table[v.Algorithm].kernels }

// Coordinated reports whether the updates take part in the protocol of a coordinator.
func (v Spec) Coordinated() bool { return table[v.Algorithm].protocol }

// Phases lists the phases of a call's time in the order in which they run, of one that returns old values
// or not. Clearing, updating and flushing copies are phases of one kernel.
func (v Spec) Phases(returns bool) []string {
	if returns && v.ReturnsTwice() {
		return table[v.Algorithm].fetches
	}
	return table[v.Algorithm].phases
}

// Header names the header that declares the implementation's CUDA code, "" if there is none.
func (v Spec) Header() string { return table[v.Algorithm].header }

// CUDAName names the warp reduction in the CUDA headers.
func (v Spec) CUDAName() string {
	if v.Masks == Hash {
		return "HashPeers"
	}
	return reductions[v.Reduction].cuda
}

// UsesAtomics reports whether the implementation needs a hardware atomic (or a
// compare-and-swap loop) for its element type.
func (v Spec) UsesAtomics() bool { return v.Class() != NonAtomic }

// OnHost reports whether the host re-lays the stream before the kernels run.
func (v Spec) OnHost() bool { return v.Scatter }

// NeedsGrouped reports whether the implementation is right on streams alone in
// which equal targets stand together.
func (v Spec) NeedsGrouped() bool { return table[v.Algorithm].grouped }

// NeedsTargets reports whether the most frequent targets must be known before the call.
func (v Spec) NeedsTargets() bool { return v.Slots > 0 && v.Sample == 0 }

// Reorders reports whether the implementation brings the stream into another order.
func (v Spec) Reorders() bool { return table[v.Algorithm].reorders || v.Scatter }

// Reduces reports whether warps reduce their updates before they add them.
func (v Spec) Reduces() bool { return v.Reduction != None }

// AddsAtTargets reports whether each thread adds to the targets itself.
func (v Spec) AddsAtTargets() bool { return v.Algorithm == Global }

// ReturnsOld reports whether the implementation can hand each update the old value of its target.
// Copies do so in two passes, where each lane adds for itself to copies of all targets or of hot
// ones: ReturnsTwice. A block that reduces has none for them.
func (v Spec) ReturnsOld() bool {
	return table[v.Algorithm].returns && v.Scope == WarpScope &&
		(v.AddsAtTargets() || !v.Reduces() && v.G() == 1)
}

// ReturnsTwice reports whether it takes two passes over the stream to do so: one that counts, and
// one that hands the old values out.
func (v Spec) ReturnsTwice() bool { return v.ReturnsOld() && v.Site() == PerBlock }

// Launched reports whether the launch of the implementation is worth a search: with copies in each
// block it says how many there are and who shares one. For others the rule of
// device.Limits.Shape loses little.
func (v Spec) Launched() bool { return v.Algorithm == Private || v.Algorithm == Hot }

// Copies returns `private` with so many copies, with as many elements between them.
func Copies(replicas, pad int, m Mapping) Spec {
	return Spec{Algorithm: Private, Replicas: replicas, Pad: pad, Map: m}
}

// Kind returns the implementation without its parameters, such as the number of copies.
func (v Spec) Kind() Spec {
	return Spec{Algorithm: v.Algorithm, Reduction: v.Reduction, Scatter: v.Scatter}
}

// Title returns what texts call the implementation, without its parameters.
func (v Spec) Title() string {
	title, kind := table[v.Algorithm].title, v.Kind()
	switch {
	case title == "" || v.AddsAtTargets() && !kind.IsNaive():
		return kind.String()
	case v.Reduces():
		return title + " after " + v.Reduction.String()
	}
	return title
}

// Wins is the title with its verb, in the number that its words demand.
func (v Spec) Wins() string {
	title := v.Title()
	if strings.Contains(title, "copies") || strings.Contains(title, "atomics") {
		return title + " win"
	}
	return title + " wins"
}

// Does says in words what the implementation does about collisions.
func (v Spec) Does() string {
	does, sums := table[v.Algorithm].does, reductions[v.Reduction].sums
	if v.G() > 1 {
		does = strings.Replace(does, "copy", "copy of a range of targets", 1)
	}
	if v.R() > 1 {
		does = strings.Replace(does, "copy", strconv.Itoa(v.R())+" copies", 1)
	}
	switch {
	case v.Reduces() && !v.AddsAtTargets():
		return does + " after the warp has summed " + sums
	case v.Scatter && v.Reduces():
		return "updates are reordered so that a warp sums equal targets and warps rarely collide"
	case v.Scatter:
		return "updates are reordered so that equal targets are far apart"
	case v.Scope == BlockScope:
		return "the block first sums " + sums
	case v.Reduces():
		return "the warp first sums " + sums
	}
	return does
}

// Site is where an implementation adds its updates.
type Site uint8

// The sites.
const (
	AtTargets Site = iota // in global memory
	PerBlock              // in copies in shared memory
	PerThread             // in copies of each thread
	InRuns                // in registers, along runs of equal targets
)
