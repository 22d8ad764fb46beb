package hwsim

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
	opAddT  // addition in the element type
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
	opAtomic // global add, dst = old values if there is a dst
	opLoadShared
	opStoreShared
	opAtomicShared // shared add without return
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

// instruction is one warp instruction.
type instruction struct {
	op     op
	dst    operand
	a, b   operand
	pred   operand
	target int32 // control: where to go
	buf    int16 // global memory: which buffer
	wide   bool  // shared memory: elements of 8 bytes
	one    bool  // shared atomics: every lane adds the constant 1
	plain  bool  // atomics: add counters of 4 bytes, whatever the element type
}

// program is a kernel: straight code with structured control flow.
type program struct {
	name    string
	code    []instruction
	vectors int
	scalars int
	preds   int
}

// The scalars that every warp starts with; a kernel's arguments follow.
const (
	scalarBlock  = iota // block number in the grid
	scalarBlocks        // blocks in the grid
	scalarWarp          // warp number in the block
	scalarWarps         // warps in the block
	scalarArgs
)
