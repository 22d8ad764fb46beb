package device

import (
	"fmt"

	"github.com/atomtune/atomtune/variant"
)

// reductions hold the reason for which a device cannot run a warp reduction.
var reductions = [variant.ReductionCount]func(p *Profile, v variant.Variant) string{
	variant.Peers: func(p *Profile, v variant.Variant) string {
		switch {
		case v.Masks != variant.Hash:
		case p.SharedAtomic(U32).Mechanism == Absent:
			return "masks are made by shared-memory atomics for u32, which the device has not"
		case 2*p.Core.WarpLanes.Value > variant.MaskPlaces:
			return fmt.Sprintf("a mask holds %d lanes, not %v", variant.MaskPlaces/2, p.Core.WarpLanes.Value)
		}
		return ""
	},
	variant.Match: func(p *Profile, _ variant.Variant) string {
		if p.Exchange.HasMatch.Value {
			return ""
		}
		return "there is no match instruction"
	},
}

// CanCall returns nil if the device can run the implementation for that call and
// number of targets, and otherwise an error that wraps ErrCannot and says why.
func (p *Profile) CanCall(v variant.Variant, c Call, bins uint64) error {
	if err := p.CanRun(v, c.Type, bins); err != nil {
		return err
	}
	why := c.Op.partials(c.Type)
	switch {
	case v.Coordinated() && c.Op != Add:
		why = fmt.Sprintf("it adds, and does not %s", c.Op)
	case why != "" && (v.Reduces() || !v.AddsAtTargets()):
	case c.Returns && c.Op == Div && v.Site() == variant.PerBlock:
		why = "its copies hold products of divisors, and no update finds its quotient there"
	case v.UsesAtomics() && p.GlobalUpdate(c).Mechanism == Absent:
		why = fmt.Sprintf("there is no way to %s %s in global memory", c.Op, c.Type)
	case v.Site() == variant.PerBlock && p.SharedUpdate(c).Mechanism == Absent:
		why = fmt.Sprintf("there is no way to %s %s in shared memory", c.Op, c.Type)
	default:
		return nil
	}
	return p.cannot(v, why)
}

// CanRun returns nil if the device can run the implementation for sums of that
// type and that number of targets, and otherwise an error that wraps ErrCannot and says
// why. It asks for nothing that depends on the stream's order.
func (p *Profile) CanRun(v variant.Variant, t Type, bins uint64) (err error) {
	why := ""
	if lacks := reductions[v.Reduction]; lacks != nil {
		why = lacks(p, v)
	}
	if why == "" && !v.Coordinated() && v.UsesAtomics() && p.GlobalAtomic(t).Mechanism == Absent {
		why = fmt.Sprintf("there is no global atomic for %s", t)
	}
	if why == "" {
		why = p.lacks(v, t, bins)
	}
	return p.cannot(v, why)
}

// lacks returns what the device lacks for an implementation beside atomics in global memory, "" for nothing.
func (p *Profile) lacks(v variant.Variant, t Type, bins uint64) (why string) {
	site := v.Site()
	if site == variant.PerBlock {
		why = p.noCopies(v, t, bins)
	}
	switch {
	case why != "":
	case v.Sample > 0:
		why = p.noSample(v)
	case v.Width > 0:
		why = p.noParts(v, t, bins)
	case v.Coordinated():
		why = p.uncoordinated(t)
	case site == variant.PerThread:
		why = p.noThreadCopies(t, bins)
	case site == variant.InRuns && v.Reorders():
		why = p.noTiles(t)
	}
	return why
}

// cannot returns an error with that reason, nil if it is empty.
func (p *Profile) cannot(v variant.Variant, why string) error {
	if why == "" {
		return nil
	}
	return fmt.Errorf("%w: %s on %s: %s", ErrCannot, v, p.Name, why)
}

func (p *Profile) noCopies(v variant.Variant, t Type, bins uint64) string {
	need, limit := v.SharedBytes(bins, t.Bytes()), uint64(p.Shared.BytesPerBlock.Value)
	switch {
	case p.SharedAtomic(t).Mechanism == Absent:
		return fmt.Sprintf("there is no shared-memory atomic for %s", t)
	case need > limit:
		return fmt.Sprintf("the copies take %d bytes of shared memory, a block has %d", need, limit)
	}
	return ""
}

// Offer is the update by which a thread of these offers a target, behind its count, as hot.
func Offer() Call { return Call{Type: U64, Op: Max} }

// noSample is why a device cannot find hot targets in a sample.
func (p *Profile) noSample(v variant.Variant) (why string) {
	l := p.Limits()
	switch shape := l.SampleShape(v); {
	case l.MaxThreadsPerBlock < shape.Threads || l.SharedBytes < shape.SharedBytes:
		why = fmt.Sprintf("blocks that sample have %d threads and %d bytes of shared memory, "+
			"of at most %d and %d", shape.Threads, shape.SharedBytes, l.MaxThreadsPerBlock, l.SharedBytes)
	case p.SharedAdd(Call{Type: U32, Operand: One}).Mechanism == Absent ||
		p.SharedUpdate(Offer()).Mechanism == Absent:
		why = "samples are counted and compared with shared-memory atomics for u32 and u64, " +
			"which the device has not"
	}
	return why
}

// noParts is why a device cannot part a stream.
func (p *Profile) noParts(v variant.Variant, t Type, bins uint64) (why string) {
	l := p.Limits()
	switch {
	case l.MaxThreadsPerBlock < splitThreads:
		why = fmt.Sprintf("blocks that split the stream have %d threads, of at most %d", splitThreads,
			l.MaxThreadsPerBlock)
	case bins > l.MostParted(v, t):
		why = fmt.Sprintf("a tile and the counters of %d ranges do not fit into %d bytes of shared "+
			"memory", v.Buckets(bins), l.SharedBytes)
	case p.GlobalAtomic(U32).Mechanism == Absent ||
		p.SharedAdd(Call{Type: U32, Operand: One}).Mechanism == Absent:
		why = "it counts ranges with u32 atomics, which the device has not"
	}
	return why
}

func (p *Profile) noTiles(t Type) string {
	l := p.Limits()
	switch {
	case variant.SortItems(t.Bytes(), l.WarpLanes, l.SharedBytes) == 0:
		return fmt.Sprintf("a tile does not fit into %d bytes of shared memory", l.SharedBytes)
	case p.GlobalAtomic(U32).Mechanism == Absent ||
		p.SharedAdd(Call{Type: U32, Operand: One}).Mechanism == Absent:
		return "it counts digits with u32 atomics, which the device has not"
	}
	return ""
}

func (p *Profile) noThreadCopies(t Type, bins uint64) string {
	l := p.Limits()
	if variant.ThreadPrivateThreads(bins, t.Bytes(), l.WarpLanes, l.SharedBytes) == 0 {
		return fmt.Sprintf("the copies of one warp do not fit into %d bytes of shared memory",
			l.SharedBytes)
	}
	return ""
}

func (l Limits) threadCopies(t Type, bins uint64) int {
	threads := variant.ThreadPrivateThreads(bins, t.Bytes(), l.WarpLanes, l.SharedBytes)
	return max(l.WarpLanes, threads)
}

// mostCoordinated is the largest number of lanes whose updates the protocol of a
// coordinator takes together.
const mostCoordinated = 64

// uncoordinated is why a coordinator workgroup cannot add values of that type, or has
// nothing to gain. It keeps atomics off the slow one of two ways to memory, [elteir11],
// passes on words of 32 bits, and lets a wavefront add them up in shared memory first.
func (p *Profile) uncoordinated(t Type) string {
	switch {
	case p.Paths == nil:
		return "there is one way to global memory, so that a coordinator has nothing to gain"
	case t.Float() || t.Bytes() != 4:
		return fmt.Sprintf("a coordinator adds integers of 32 bits, not %s", t)
	case p.SharedAtomic(U32).Mechanism == Absent:
		return "the lanes' sum takes a shared-memory atomic for u32, which there is not"
	case p.Core.WarpLanes.Value > mostCoordinated:
		return fmt.Sprintf("a coordinator serves up to %d lanes of a warp, not %v",
			mostCoordinated, p.Core.WarpLanes.Value)
	case p.Core.SMs.Value*p.Core.MaxBlocks.Value < 2:
		return "a coordinator and another block do not run at once"
	}
	return ""
}
