package device

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/impl"
)

// Offer is the update by which a thread of these offers a target, behind its count, as hot.
func Offer() Call { return Call{Type: U64, Op: Max} }

// Ranked lists the implementations that a choice ranks on the device and that its tree is trained for:
// masks by a hash only where no instruction matches lanes.
func (p *Profile) Ranked() []impl.Spec {
	return slices.DeleteFunc(impl.Ranked(), func(v impl.Spec) bool {
		return v.Masks == impl.Hash && p.Exchange.HasMatch.Value
	})
}

// CanCall returns nil if the device can run the implementation for that call and
// number of targets, and otherwise an error that wraps ErrCannot and says why.
func (p *Profile) CanCall(v impl.Spec, c Call, bins uint64) error {
	if c.Wide() {
		return p.canAddRows(v, c)
	}
	if err := p.CanRun(v, c.Type, bins); err != nil {
		return err
	}
	why := c.Op.partials(c.Type)
	switch {
	case v.Coordinated() && c.Op != Add:
		return p.cannot(v, "it can only add, not %s", c.Op)
	case why != "" && (v.Reduces() || !v.AddsAtTargets()):
		return p.cannot(v, "%s", why)
	case c.Returns && c.Op == Div && v.Site() == impl.PerBlock:
		return p.cannot(v, "its copies contain products of divisors, so updates cannot return their quotients")
	case v.UsesAtomics() && p.GlobalUpdate(c).Mechanism == Absent:
		return p.cannot(v, "it cannot %s %s in global memory", c.Op, c.Type)
	case v.Site() == impl.PerBlock && p.SharedUpdate(c).Mechanism == Absent:
		return p.cannot(v, "it cannot %s %s in shared memory", c.Op, c.Type)
	case c.Returns && !v.ReturnsOld():
		return p.cannot(v, "no old values") // it adds sums, not updates
	}
	return nil
}

// cannot returns an error with that reason.
func (p *Profile) cannot(v impl.Spec, why string, args ...any) error {
	return fmt.Errorf("%w: %s on %s: %s", ErrCannot, v, p.Name, fmt.Sprintf(why, args...))
}

// CanRun returns nil if the device can run the implementation for sums of that
// type and that number of targets, and otherwise an error that wraps ErrCannot and says
// why. It asks for nothing that depends on the stream's order.
func (p *Profile) CanRun(v impl.Spec, t Type, bins uint64) error {
	switch hashes := v.Reduction == impl.Peers && v.Masks == impl.Hash; {
	case hashes && p.SharedAtomic(U32).Mechanism == Absent:
		return p.cannot(v, "masks need shared-memory atomics for u32, which the device does not have")
	case hashes && 2*p.Core.WarpLanes.Value > impl.MaskPlaces:
		return p.cannot(v, "a mask holds %d lanes, not %v", impl.MaskPlaces/2, p.Core.WarpLanes.Value)
	case v.Reduction == impl.Match && !p.Exchange.HasMatch.Value:
		return p.cannot(v, "it has no match instruction")
	case !v.Coordinated() && v.UsesAtomics() && p.GlobalAtomic(t).Mechanism == Absent:
		return p.cannot(v, "it has no global atomic for %s", t)
	case v.Coordinated():
		return p.canCoordinate(v, t)
	case v.Site() == impl.AtTargets:
		return nil
	}
	return p.canHold(v, t, bins)
}

// canHold reports what an implementation lacks that keeps sums elsewhere than at the targets.
func (p *Profile) canHold(v impl.Spec, t Type, bins uint64) error {
	l, sample, site := p.Limits(), Shape{}, v.Site()
	if v.Sample > 0 {
		sample = l.SampleShape(v)
	}
	counts := p.SharedAdd(Call{Type: U32, Operand: One}).Mechanism != Absent
	copies, tiles := site == impl.PerBlock, site == impl.InRuns && v.Reorders()
	switch need := v.SharedBytes(bins, t.Bytes()); {
	case copies && p.SharedAtomic(t).Mechanism == Absent:
		return p.cannot(v, "it has no shared-memory atomic for %s", t)
	case copies && need > l.SharedBytes:
		return p.cannot(v, "the copies need %d bytes of shared memory, but a block has %d", need, l.SharedBytes)
	case l.MaxThreadsPerBlock < sample.Threads || l.SharedBytes < sample.SharedBytes:
		return p.cannot(v, "blocks that sample have %d threads and %d bytes of shared memory, of at most %d and %d",
			sample.Threads, sample.SharedBytes, l.MaxThreadsPerBlock, l.SharedBytes)
	case v.Sample > 0 && (!counts || p.SharedUpdate(Offer()).Mechanism == Absent):
		return p.cannot(v, "samples need shared-memory atomics for u32 and u64, which the device does not have")
	case v.Width > 0 && l.MaxThreadsPerBlock < splitThreads:
		return p.cannot(v, "blocks that split the stream have %d threads, of at most %d", splitThreads,
			l.MaxThreadsPerBlock)
	case v.Width > 0 && bins > l.MostParted(v, t):
		return p.cannot(v, "a tile and the counters of %d ranges do not fit into %d bytes of shared memory",
			v.Buckets(bins), l.SharedBytes)
	case site == impl.PerThread &&
		impl.ThreadPrivateThreads(bins, t.Bytes(), l.WarpLanes, l.SharedBytes) == 0:
		return p.cannot(v, "the copies of one warp do not fit into %d bytes of shared memory", l.SharedBytes)
	case tiles && impl.SortItems(t.Bytes(), l.WarpLanes, l.SharedBytes) == 0:
		return p.cannot(v, "a tile does not fit into %d bytes of shared memory", l.SharedBytes)
	case (v.Width > 0 || tiles) && (p.GlobalAtomic(U32).Mechanism == Absent || !counts):
		what := map[bool]string{true: "digits", false: "ranges"}[tiles]
		return p.cannot(v, "it counts %s with u32 atomics, which the device does not have", what)
	}
	return nil
}

// canCoordinate reports why a coordinator workgroup cannot add values of that type, or has
// nothing to gain. It keeps atomics off the slow one of two ways to memory, [elteir11],
// passes on words of 32 bits, and lets a wavefront add them up in shared memory first.
func (p *Profile) canCoordinate(v impl.Spec, t Type) error {
	const most = 64 // lanes whose updates the protocol takes together
	switch {
	case p.Paths == nil:
		return p.cannot(v, "there is one path to global memory, so a coordinator gains nothing")
	case t.Float() || t.Bytes() != 4:
		return p.cannot(v, "a coordinator adds integers of 32 bits, not %s", t)
	case p.SharedAtomic(U32).Mechanism == Absent:
		return p.cannot(v, "the lanes' sum needs a shared-memory atomic for u32, which the device does not have")
	case p.Core.WarpLanes.Value > most:
		return p.cannot(v, "a coordinator serves up to %d lanes of a warp, not %v", most, p.Core.WarpLanes.Value)
	case p.Core.SMs.Value*p.Core.MaxBlocks.Value < 2:
		return p.cannot(v, "a coordinator and another block do not run at once")
	}
	return nil
}
