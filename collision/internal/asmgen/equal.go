package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// equalKernel counts the keys that equal the one a given distance before.
func equalKernel() {
	TEXT("countEqualAVX512", NOSPLIT, "func(early, late *uint32, vectors int) int")
	Pragma("noescape")
	Doc("countEqualAVX512 counts the positions of 16·vectors at which early and late agree.")
	early := Mem{Base: Load(Param("early"), GP64())}
	late := Mem{Base: Load(Param("late"), GP64())}
	vectors := Load(Param("vectors"), GP64())
	total, bits := GP64(), GP64()
	XORQ(total, total)

	Label("vector")
	CMPQ(vectors, Imm(0))
	JE(LabelRef("done"))
	VMOVDQU32(early, reg.Z0)
	VPCMPEQD(late, reg.Z0, reg.K1)
	KMOVW(reg.K1, bits.As32())
	POPCNTL(bits.As32(), bits.As32())
	ADDQ(bits, total)
	ADDQ(Imm(64), early.Base)
	ADDQ(Imm(64), late.Base)
	DECQ(vectors)
	JMP(LabelRef("vector"))

	Label("done")
	VZEROUPPER()
	Store(total, ReturnIndex(0))
	RET()
}
