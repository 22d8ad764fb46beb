package device

import (
	"fmt"

	"github.com/atomtune/atomtune/variant"
)

// CanCall returns nil if the device can run the implementation for that call and
// number of targets, and otherwise an error that wraps ErrCannot and says why.
func (p *Profile) CanCall(v variant.Variant, c Call, bins uint64) error {
	if err := p.CanRun(v, c.Type, bins); err != nil {
		return err
	}
	if v.Base == variant.Coordinator && c.Op != Add {
		return fmt.Errorf("%w: %s on %s: it adds, and does not %s", ErrCannot, v, p.Name, c.Op)
	}
	plain := v.Base == variant.Global && v.Reduction == variant.None
	if why := c.Op.partials(c.Type); why != "" && !plain {
		return fmt.Errorf("%w: %s on %s: %s", ErrCannot, v, p.Name, why)
	}
	if v.UsesAtomics() && p.GlobalUpdate(c).Mechanism == Absent {
		return fmt.Errorf("%w: %s on %s: there is no way to %s %s in global memory",
			ErrCannot, v, p.Name, c.Op, c.Type)
	}
	if v.Base == variant.Private && p.SharedUpdate(c).Mechanism == Absent {
		return fmt.Errorf("%w: %s on %s: there is no way to %s %s in shared memory",
			ErrCannot, v, p.Name, c.Op, c.Type)
	}
	return nil
}

// CanRun returns nil if the device can run the implementation for sums of that
// type and that number of targets, and otherwise an error that wraps ErrCannot and says
// why. It asks for nothing that depends on the stream's order.
func (p *Profile) CanRun(v variant.Variant, t Type, bins uint64) error {
	cannot := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s on %s: %s", ErrCannot, v, p.Name, fmt.Sprintf(format, args...))
	}
	if v.Base == variant.Coordinator {
		if why := p.uncoordinated(t); why != "" {
			return cannot("%s", why)
		}
		return nil
	}
	if v.Reduction == variant.Match && !p.Exchange.HasMatch.Value {
		return cannot("there is no match instruction")
	}
	if v.UsesAtomics() && p.GlobalAtomic(t).Mechanism == Absent {
		return cannot("there is no global atomic for %s", t)
	}
	limit := uint64(p.Shared.BytesPerBlock.Value)
	switch v.Base {
	case variant.Private:
		if p.SharedAtomic(t).Mechanism == Absent {
			return cannot("there is no shared-memory atomic for %s", t)
		}
		if need := v.SharedBytes(bins, t.Bytes()); need > limit {
			return cannot("the copies take %d bytes of shared memory, a block has %d", need, limit)
		}
	case variant.Sort:
		lanes := int(p.Core.WarpLanes.Value)
		if variant.SortItems(t.Bytes(), lanes, limit) == 0 {
			return cannot("a tile does not fit into %d bytes of shared memory", limit)
		}
		if p.GlobalAtomic(U32).Mechanism == Absent ||
			p.SharedAdd(Call{Type: U32, Operand: One}).Mechanism == Absent {
			return cannot("it counts digits with u32 atomics, which the device has not")
		}
	case variant.ThreadPrivate:
		if variant.ThreadPrivateThreads(bins, t.Bytes(), int(p.Core.WarpLanes.Value), limit) == 0 {
			return cannot("the copies of one warp do not fit into %d bytes of shared memory", limit)
		}
	}
	return nil
}

// mostCoordinated is the largest number of lanes whose updates the protocol of a
// coordinator takes together.
const mostCoordinated = 64

// uncoordinated returns the reason for which a coordinator workgroup cannot add
// values of that type, or has nothing to gain; "" if there is none. It keeps
// atomics off the slow one of two ways to memory, [elteir11], passes on words of
// 32 bits, and lets a wavefront add them up in shared memory first.
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
