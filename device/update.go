package device

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// SharedUpdate returns how the call's operation works on words of shared
// memory; private copies of div take the product of the divisors.
//
// Atomic units take extremes of integers as they add them (CUDA programming guide, atomicMin;
// OpenCL 1.1, atom_min), unless the profile has figures of min. There is no native mul, mad or div,
// nor min or max of floats (PTX ISA, atom; OpenCL 1.2, 6.12.11): these are compare-and-swap loops.
func (p *Profile) SharedUpdate(c Call) SharedAtomic {
	add := p.SharedAtomic(c.Type)
	switch {
	case c.Op == Add:
		return p.SharedAdd(c)
	case add.Mechanism == Absent:
		return add
	case !c.Op.Extreme() || c.Type.Float():
		return p.sharedLoop(c.Type)
	}
	if key, ok := p.Types[c.Type].SharedOperations[OpMin]; ok {
		return p.SharedAtomics[key]
	}
	return add
}

// GlobalUpdate returns how the call's operation updates a target in global
// memory. Which operations are native is as for SharedUpdate, but the extremes
// of some types may need a loop where their sums do not: TypeAtomics. In rows, extremes of floats are those of
// integers, in whose order the header has them, and bf16 is added as floats are.
func (p *Profile) GlobalUpdate(c Call) GlobalAtomic {
	switch {
	case c.Type == BF16:
		c.Type = F32
	case c.Wide() && c.Op.Extreme() && c.Type.Float():
		c.Type = map[Type]Type{F32: I32, F64: I64}[c.Type]
	}
	add := p.GlobalAtomic(c.Type)
	switch {
	case c.Op == Add || add.Mechanism == Absent:
		return add
	case !c.Op.Extreme() || c.Type.Float():
		return p.globalLoop(c.Type)
	}
	if key := p.Types[c.Type].GlobalExtreme; key != "" {
		return p.GlobalAtomics[key]
	}
	return add
}

// LikeAdd reports whether the device makes the call's updates by the mechanisms
// by which it adds, and they hinder each other as much: most swaps of a loop that
// takes extremes leave the target as it is.
func (p *Profile) LikeAdd(c Call) bool {
	add := c
	add.Op = Add
	if c.Op.Extreme() && (p.GlobalUpdate(c).Mechanism == CAS || p.SharedUpdate(c).Mechanism == CAS) {
		return false
	}
	return c.Op.Operands() == 1 && p.GlobalUpdate(c).Mechanism == p.GlobalUpdate(add).Mechanism &&
		p.SharedUpdate(c).Mechanism == p.SharedUpdate(add).Mechanism
}

// sharedLoop returns the compare-and-swap loop on words of type t: that of the
// type, of another type of its size, or of the other size.
func (p *Profile) sharedLoop(t Type) SharedAtomic {
	for _, of := range widths(t) {
		if loop, err := p.SharedOperation(OpCASLoop, of); err == nil {
			return loop
		}
		if a := p.SharedAtomic(of); a.Mechanism == CAS {
			return a
		}
	}
	return SharedAtomic{Mechanism: Absent}
}

// globalLoop is sharedLoop for targets in global memory, where the profile may
// have no loop at all: its parts make one then.
func (p *Profile) globalLoop(t Type) GlobalAtomic {
	for _, of := range widths(t) {
		if a := p.GlobalAtomic(of); a.Mechanism == CAS {
			return a
		}
	}
	return p.composedLoop(t)
}

// widths lists the types, t first, then those of its size.
func widths(t Type) []Type {
	list := []Type{t}
	for _, same := range []bool{true, false} {
		for _, of := range Types() {
			if of != t && (of.Bytes() == t.Bytes()) == same {
				list = append(list, of)
			}
		}
	}
	return list
}

// composedLoop puts a loop together that goes on from what the swap returned,
// the second listing of [streamhpc]: the first iteration loads and swaps, the
// further ones swap. A swap takes what the unit's addition of an integer of the
// size takes. Beside memory, an iteration takes what it takes in shared memory.
func (p *Profile) composedLoop(t Type) GlobalAtomic {
	unsigned := U32
	if t.Bytes() == 8 {
		unsigned = U64
	}
	loop := p.GlobalAtomic(unsigned)
	if loop.Mechanism != Native {
		return GlobalAtomic{Mechanism: Absent}
	}
	first, further := p.besideMemory(t)
	const source = "the profile's load, integer addition and loop in shared memory"
	const rationale = "a load and a swap in the first iteration, a swap in each further one, and the other instructions"
	cycles := func(value float64) Quantity {
		return Quantity{Value: value, Unit: "cycle", Source: source, Rationale: rationale}
	}
	round := cycles(loop.Latency.Value + further)
	loop.Mechanism, loop.Instruction = CAS, fmt.Sprintf("compare-and-swap loop of %d bytes", t.Bytes())
	loop.Latency = cycles(p.Global.LoadLatency.Value + loop.Latency.Value + first)
	loop.Round = &round
	return loop
}

// besideMemory returns the cycles that the loop's first iteration and each further
// one take beside their accesses: those of the loop in shared memory less its
// load and its swap or, where they are not known, one arithmetic instruction.
func (p *Profile) besideMemory(t Type) (first, further float64) {
	alu := p.Core.ALULatency.Value
	shared := p.sharedLoop(t)
	for _, of := range widths(t) {
		swap, errSwap := p.SharedOperation(OpExchange, of)
		load, err := p.SharedOperation(OpLoad, of)
		if cmp.Or(errSwap, err) != nil || of.Bytes() != t.Bytes() || shared.Mechanism != CAS {
			continue
		}
		first = shared.Base.Value - load.Base.Value - swap.Base.Value
		return max(alu, first), max(alu, shared.Round.Value-swap.Base.Value)
	}
	return alu, alu
}

// Operation is what each lane of a warp does to a word of shared memory.
type Operation string

// The operations.
const (
	OpAdd      Operation = "add"  // adds a loaded value
	OpMin      Operation = "min"  // takes the smaller value
	OpExchange Operation = "exch" // writes a value and returns the old one
	// Adds by a hand-written compare-and-swap loop, the warp together in each iteration.
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
	return "", fmt.Errorf("%w of operation %q (want one of %s)", ErrType, name,
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
