package variant

import (
	"fmt"
	"math"
	"math/bits"
)

// row is what holds of every implementation of one base.
type row struct {
	name      string
	class     Class
	site      Site
	grouped   bool // right on streams alone in which equal targets stand together
	reorders  bool // brings the stream into another order
	returns   bool // can hand each update the old value of its target
	combines  bool // with reductions and ss
	workspace func(w Workspace) uint64
}

// table holds a row for each base. The constants of type Base are its places.
var table = [...]row{
	Global: {name: "naive", class: ReducedCollision, site: AtTargets, returns: true,
		combines: true},
	Private: {name: "private", class: ReducedCollision, site: PerBlock, combines: true},
	Coordinator: {name: "coordinator", class: ReducedCollision, site: AtTargets, returns: true,
		workspace: slotBytes},
	Sort: {name: "sort", class: NonAtomic, site: InRuns, reorders: true,
		workspace: sortBytes},
	SegReduce: {name: "segreduce", class: NonAtomic, site: InRuns, grouped: true,
		workspace: runBytes},
	ThreadPrivate: {name: "threadprivate", class: NonAtomic, site: PerThread, workspace: threadBytes},
}

// reductions holds the name of each warp reduction, in the place of its constant.
var reductions = [...]string{None: "", SR: "sr", VR: "vr", Peers: "peers", Match: "match"}

// scatter is the name of the re-layout on the host.
const scatter = "ss"

// Names lists the part names that Parse knows, in the order of the tables.
func Names() []string {
	return []string{
		"naive", "sr", "vr", "ss", "peers", "match", "private",
		"coordinator", "sort", "segreduce", "threadprivate",
	}
}

// Candidates lists the implementations that a choice ranks, in a fixed order.
func Candidates() []Variant {
	list := []Variant{
		{}, {Reduction: SR}, {Reduction: VR}, {Scatter: true}, {Reduction: SR, Scatter: true},
		{Reduction: Peers}, {Reduction: Match}, {Base: Private},
	}
	for _, r := range []int{2, 4, 8, 16, 32} {
		list = append(list, Variant{Base: Private, Replicas: r, Pad: 1})
	}
	return append(list,
		Variant{Base: Private, Reduction: SR}, Variant{Base: Private, Reduction: VR},
		Variant{Base: Private, Reduction: Match}, Variant{Base: Coordinator},
		Variant{Base: Sort}, Variant{Base: SegReduce}, Variant{Base: ThreadPrivate})
}

// OnDevice lists the candidates whose whole time passes on the device: all but
// those that the host re-lays the stream for.
func OnDevice() []Variant {
	var list []Variant
	for _, v := range Candidates() {
		if !v.OnHost() {
			list = append(list, v)
		}
	}
	return list
}

// String returns the part's name; Global is "naive".
func (b Base) String() string {
	if int(b) < len(table) {
		return table[b].name
	}
	return fmt.Sprintf("Base(%d)", uint8(b))
}

// String returns the part's name, empty for None.
func (r Reduction) String() string {
	if int(r) < len(reductions) {
		return reductions[r]
	}
	return ""
}

// Class returns the class of the implementation.
func (v Variant) Class() Class {
	if v.IsNaive() {
		return Naive
	}
	return table[v.Base].class
}

// IsNaive reports whether every update is one atomic at its target.
func (v Variant) IsNaive() bool { return v == Variant{} }

// Site returns where the implementation adds its updates.
func (v Variant) Site() Site { return table[v.Base].site }

// UsesAtomics reports whether the implementation needs a hardware atomic (or a
// compare-and-swap loop) for its element type.
func (v Variant) UsesAtomics() bool { return v.Class() != NonAtomic }

// OnHost reports whether the host re-lays the stream before the kernels run.
func (v Variant) OnHost() bool { return v.Scatter }

// NeedsGrouped reports whether the implementation is right on streams alone in
// which equal targets stand together.
func (v Variant) NeedsGrouped() bool { return table[v.Base].grouped }

// Reorders reports whether the implementation brings the stream into another order.
func (v Variant) Reorders() bool { return table[v.Base].reorders || v.Scatter }

// ReturnsOld reports whether the implementation can hand each update the old
// value of its target.
func (v Variant) ReturnsOld() bool { return table[v.Base].returns && v.Reduction == None }

// Site is where an implementation adds its updates.
type Site uint8

// The sites.
const (
	AtTargets Site = iota // in global memory
	PerBlock              // in copies in shared memory
	PerThread             // in copies of each thread
	InRuns                // in registers, along runs of equal targets
	SiteCount = iota
)

// Workspace is what the device memory of an implementation depends on, beside the
// stream and the targets. Sizes are in bytes.
type Workspace struct {
	Updates, Bins       uint64
	Element, Value, Sum uint64 // of a target, of an update's value, of the sum of a run
	Blocks, Resident    uint64 // of the launch, and blocks of one warp that are resident
	WarpLanes           int
	SharedBytes         uint64 // that a block can have
	Relaid              bool   // the stream arrives re-laid
}

// keyBytes is the size of an index, and of a counter.
const keyBytes = 4

// WorkspaceBytes returns the device memory that an implementation takes for one
// call beside the indices, values, old values and targets, with n updates of k
// targets of s bytes each, v bytes of value per update and S bytes per sum of a run:
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
// words per tile beside them, which are left out here. Updates beyond 2^56 count
// as so many.
func (v Variant) WorkspaceBytes(w Workspace) uint64 {
	w.Updates = min(w.Updates, math.MaxUint64>>8)
	switch {
	case v.Scatter && w.Relaid:
		return 0
	case v.Scatter:
		return w.Updates * (keyBytes + w.Value)
	case table[v.Base].workspace == nil:
		return 0
	}
	return table[v.Base].workspace(w)
}

func sortBytes(w Workspace) uint64 {
	const digit, block = 256, 256 // values of a digit, threads of a block
	digits := uint64(bits.Len64(max(w.Bins, 2)-1)+7) / 8
	items := uint64(max(SortItems(int(w.Element), w.WarpLanes, w.SharedBytes), 1))
	tiles := (w.Updates + block*items - 1) / (block * items)
	return w.Updates*(keyBytes+w.Value)*min(2, digits) + keyBytes*digit*(digits+tiles) +
		min(w.Updates, w.Bins)*(keyBytes+w.Sum) + keyBytes
}

func runBytes(w Workspace) uint64 { return w.Updates*(keyBytes+w.Sum) + keyBytes }

func threadBytes(w Workspace) uint64 { return w.Bins * w.Blocks * w.Element }

// slotBytes is what the coordinator's arrays take: one slot for each workgroup of
// one wavefront that runs beside the coordinator, and its own.
func slotBytes(w Workspace) uint64 {
	const arrays, chunk = 6, 256
	lanes := uint64(w.WarpLanes)
	slots := min((w.Updates+lanes-1)/lanes, w.Resident-1) + 1
	return arrays * ((slots*keyBytes + chunk - 1) / chunk * chunk)
}
