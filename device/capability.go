package device

import (
	"fmt"

	"github.com/atomtune/atomtune/variant"
)

// CanRun returns nil if the device can run the implementation for that type
// and number of targets, and otherwise an error that wraps ErrCannot and says
// why. It asks for nothing that depends on the stream's order.
func (p *Profile) CanRun(v variant.Variant, t Type, bins uint64) error {
	cannot := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s on %s: %s", ErrCannot, v, p.Name, fmt.Sprintf(format, args...))
	}
	if v.Base == variant.Coordinator {
		return cannot("the coordinator has no simulated kernel")
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
		if p.GlobalAtomic(U32).Mechanism == Absent || p.SharedAdd(Call{Type: U32, Operand: One}).Mechanism == Absent {
			return cannot("it counts digits with u32 atomics, which the device has not")
		}
	case variant.ThreadPrivate:
		if variant.ThreadPrivateThreads(bins, t.Bytes(), int(p.Core.WarpLanes.Value), limit) == 0 {
			return cannot("the copies of one warp do not fit into %d bytes of shared memory", limit)
		}
	}
	return nil
}
