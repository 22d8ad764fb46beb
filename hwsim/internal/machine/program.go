package machine

type op uint8

const (
	// Arithmetic on vectors, or on warp-uniform scalars if no operand is a vector.
	opMov op = iota
	OpAdd
	OpSub
	OpMul
	OpAnd
	OpOr
	OpAndNot
	OpXor
	opShl
	OpShr
	opMin
	opMax
	OpPopc  // number of one bits
	OpFfs   // index of the lowest one bit, lanes if there is none
	OpFls   // index of the highest one bit, all ones if there is none
	OpAddT  // of two partial results in the element type, their sum for add
	OpMakeT // a, a target, after an update by b
	OpMulT  // multiplication in the element type
	OpNumT  // a whole number as the element type
	opLane  // lane number
	opTid   // thread number in the block
	opEq    // comparisons give a predicate
	opNe    //
	opLess  // unsigned
	opGeq   // unsigned
	opPAnd  // predicate logic
	opPNot  //
	OpSel   // dst = predicate ? a : b
	OpFirst // scalar = a of the lowest active lane
	// Exchange within the warp.
	OpBallot // scalar = mask of the active lanes whose predicate holds
	OpShuffle
	OpMatch // dst = mask of the active lanes with the same a
	// Memory.
	opLoad
	opStore
	OpAtomic // global update, dst = old values if there is a dst
	opLoadShared
	opStoreShared
	OpAtomicShared      // shared update, dst = old values if there is a dst
	opCompareSwapShared // a word of shared memory takes a if it holds emptyKey, dst = old words
	// Control.
	opBranch // unconditional, closes a loop
	opIf
	opElse
	opEndIf
	opLoop
	opBreakUnless
	OpEndLoop
	opBarrier
	opExit
)

type kind uint8

const (
	isNone kind = iota
	isVector
	isScalar
	isPredicate
	isImmediate
)

// Operand is a register of one of the files, or an immediate.
type Operand struct {
	kind kind
	Reg  int16
	imm  uint64
}

func Imm(v uint64) Operand { return Operand{kind: isImmediate, imm: v} }

func (o Operand) next(e int) Operand {
	o.Reg += int16(e)
	return o
}

func (o Operand) Scalar() bool { return o.kind == isScalar }

// The predicate of a global atomic is the second operand of mad.
type Instruction struct {
	Op     op
	Dst    Operand
	a, b   Operand
	pred   Operand
	target int32    // control: where to go
	buf    int16    // global memory: which buffer
	piece  int8     // memory: neighbouring elements of a lane, each in a register of its own; 0: one
	wide   bool     // shared memory: elements of 8 bytes
	One    bool     // shared atomics: every lane adds the constant 1
	Plain  bool     // atomics: add counters of 4 bytes, whatever the element type
	apart  bool     // loads: sectors pass the SM's port one by one
	inner  bool     // touches nothing but the warp's own registers
	waits  [4]int16 // places in warp.ready of its registers, the last one that of Dst
}

func (in *Instruction) elements() int { return max(1, int(in.piece)) }

// Program is a kernel: straight code with structured control flow.
type Program struct {
	Name string
	Code []Instruction
	registers
	depth int // the most loops and branches within each other
}

type registers [isPredicate + 1]int

// link finds, once all registers are known, which of them each instruction
// waits for: those that it reads, and the one that it writes. Of the registers of a piece, which are
// written in their order, it is the last. It counts how deep regions lie in each other.
func (p *Program) link() {
	open := 0
	for i := range p.Code {
		in := &p.Code[i]
		switch in.Op {
		case opLoop, opIf:
			open++
			p.depth = max(p.depth, open)
		case opEndIf, OpEndLoop:
			open--
		}
		in.inner = in.Op <= OpFirst || in.Op == opBranch || in.Op == opIf || in.Op == opElse ||
			in.Op == opBreakUnless
		last := in.elements() - 1
		in.waits = [...]int16{p.place(in.a), p.place(in.b.next(last)), p.place(in.pred),
			p.place(in.Dst.next(last))}
	}
}

func (p *Program) place(o Operand) int16 {
	if o.kind == isNone || o.kind == isImmediate {
		return 0
	}
	for k := range o.kind {
		o.Reg += int16(p.registers[k])
	}
	return 1 + o.Reg
}

// The scalars that every warp starts with; a kernel's arguments follow.
const (
	scalarBlock  = iota // block number in the grid
	scalarBlocks        // blocks in the grid
	scalarWarp          // warp number in the block
	scalarWarps         // warps in the block
	scalarArgs
)
