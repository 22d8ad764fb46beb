package hwsim

import "slices"

// op is an operation of the simulated instruction set.
type op uint8

const (
	// Arithmetic on vectors, or on warp-uniform scalars if no operand is a vector.
	opMov op = iota
	opAdd
	opSub
	opMul
	opAnd
	opOr
	opAndNot
	opXor
	opShl
	opShr
	opMin
	opMax
	opPopc  // number of one bits
	opFfs   // index of the lowest one bit, lanes if there is none
	opFls   // index of the highest one bit, all ones if there is none
	opAddT  // of two partial results in the element type, their sum for add
	opMakeT // a, a target, after an update by b
	opMulT  // multiplication in the element type
	opNumT  // a whole number as the element type
	opLane  // lane number
	opTid   // thread number in the block
	opEq    // comparisons give a predicate
	opNe    //
	opLess  // unsigned
	opGeq   // unsigned
	opPAnd  // predicate logic
	opPNot  //
	opSel   // dst = predicate ? a : b
	opFirst // scalar = a of the lowest active lane
	// Exchange within the warp.
	opBallot // scalar = mask of the active lanes whose predicate holds
	opShuffle
	opMatch // dst = mask of the active lanes with the same a
	// Memory.
	opLoad
	opStore
	opAtomic // global update, dst = old values if there is a dst
	opLoadShared
	opStoreShared
	opAtomicShared // shared update without return
	opClaimShared  // a word of shared memory takes a if it holds emptyKey, dst = old words
	// Control.
	opBranch // unconditional, closes a loop
	opIf
	opElse
	opEndIf
	opLoop
	opBreakUnless
	opEndLoop
	opBarrier
	opExit
)

// kind says which file an operand lives in.
type kind uint8

const (
	isNone kind = iota
	isVector
	isScalar
	isPredicate
	isImmediate
)

// operand is a register of one of the files, or an immediate.
type operand struct {
	kind kind
	reg  int16
	imm  uint64
}

func imm(v uint64) operand { return operand{kind: isImmediate, imm: v} }

// scalar reports whether the operand is one for all lanes.
func (o operand) scalar() bool { return o.kind == isScalar }

// instruction is one warp instruction. The predicate of a global atomic is the
// second operand of mad.
type instruction struct {
	op     op
	dst    operand
	a, b   operand
	pred   operand
	target int32   // control: where to go
	buf    int16   // global memory: which buffer
	wide   bool    // shared memory: elements of 8 bytes
	one    bool    // shared atomics: every lane adds the constant 1
	plain  bool    // atomics: add counters of 4 bytes, whatever the element type
	inner  bool    // touches nothing but the warp's own registers
	waits  []int16 // places in warp.ready of its registers
	result int16   // place in warp.ready of dst, -1 if there is none
}

// program is a kernel: straight code with structured control flow.
type program struct {
	name    string
	code    []instruction
	vectors int
	scalars int
	preds   int
}

// link finds, once all registers are known, which of them each instruction
// waits for: those that it reads, and the one that it writes.
func (p *program) link() {
	for i := range p.code {
		in := &p.code[i]
		in.inner = in.op <= opFirst || in.op == opBranch || in.op == opIf || in.op == opElse || in.op == opBreakUnless
		in.waits = in.waits[:0]
		for _, o := range [...]operand{in.a, in.b, in.pred, in.dst} {
			if at := p.place(o); at >= 0 && !slices.Contains(in.waits, at) {
				in.waits = append(in.waits, at)
			}
		}
		in.result = p.place(in.dst)
	}
}

// place returns the place of a register in warp.ready, -1 of what is none.
func (p *program) place(o operand) int16 {
	switch o.kind {
	case isVector:
		return o.reg
	case isScalar:
		return int16(p.vectors) + o.reg
	case isPredicate:
		return int16(p.vectors+p.scalars) + o.reg
	}
	return -1
}

// The scalars that every warp starts with; a kernel's arguments follow.
const (
	scalarBlock  = iota // block number in the grid
	scalarBlocks        // blocks in the grid
	scalarWarp          // warp number in the block
	scalarWarps         // warps in the block
	scalarArgs
)
