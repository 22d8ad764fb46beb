package device

import (
	"fmt"
	"slices"
	"strings"
)

// Operation is what each lane of a warp does to a word of shared memory.
type Operation string

// The operations.
const (
	OpAdd      Operation = "add"  // adds a loaded value
	OpMin      Operation = "min"  // takes the smaller value
	OpExchange Operation = "exch" // writes a value and returns the old one
	// Adds by a hand-written compare-and-swap loop, the warp together in each turn.
	OpCASLoop Operation = "casloop"
	OpCASFree Operation = "casfree" // the same loop, its lanes free to run apart
	OpLoad    Operation = "load"
	OpStore   Operation = "store" // and a load of the same word
)

// Operations lists the operations in the order of the tables.
func Operations() []Operation {
	return []Operation{OpAdd, OpMin, OpExchange, OpCASLoop, OpCASFree, OpLoad, OpStore}
}

// ParseOperation reads an operation's name. Errors wrap ErrType.
func ParseOperation(name string) (Operation, error) {
	if o := Operation(name); slices.Contains(Operations(), o) {
		return o, nil
	}
	var names []string
	for _, o := range Operations() {
		names = append(names, string(o))
	}
	return "", fmt.Errorf("%w of operation %q (there are %s)", ErrType, name,
		strings.Join(names, ", "))
}

// SharedOperation returns how the device performs the operation on words of type t in shared
// memory. Errors wrap ErrCannot: the device has no such operation, or the profile no figures of it.
func (p *Profile) SharedOperation(o Operation, t Type) (SharedAtomic, error) {
	if key, ok := p.Types[t].SharedOperations[o]; ok {
		return p.SharedAtomics[key], nil
	}
	switch o {
	case OpAdd:
		if a := p.SharedAtomic(t); a.Mechanism != Absent {
			return a, nil
		}
		return SharedAtomic{}, fmt.Errorf("%w: %s has no shared-memory atomic for %s",
			ErrCannot, p.Name, t)
	case OpLoad:
		return SharedAtomic{Mechanism: Access, Instruction: "load", Base: p.Shared.LoadLatency,
			Bank: p.Shared.PassLatency, Port: p.Shared.PassPort}, nil
	}
	return SharedAtomic{}, fmt.Errorf(
		"%w: the profile of %s has no figures of %s on %s in shared memory",
		ErrCannot, p.Name, o, t)
}
