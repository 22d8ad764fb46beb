package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// targetKernel counts one target: a bit for each lane of a warp that has it,
// and of these the ones without a neighbour before them begin a segment.
func targetKernel() {
	TEXT("countTargetAVX512", NOSPLIT,
		"func(keys *uint32, warps int, target uint32, counts *[3]uint64)")
	Pragma("noescape")
	Doc("countTargetAVX512 adds the updates, warps and segments of target in warps of 32 keys to counts.")
	keys := Mem{Base: Load(Param("keys"), GP64())}
	warps := Load(Param("warps"), GP64())
	target := Load(Param("target"), GP32())
	counts := Mem{Base: Load(Param("counts"), GP64())}
	VPBROADCASTD(target, reg.Z0)
	updates, holding, segments := GP64(), GP64(), GP64()
	for _, sum := range []reg.GPVirtual{updates, holding, segments} {
		XORQ(sum, sum)
	}
	lanes, high, begins := GP64(), GP64(), GP64()

	Label("warp")
	CMPQ(warps, Imm(0))
	JE(LabelRef("done"))
	VPCMPEQD(keys, reg.Z0, reg.K1)
	VPCMPEQD(keys.Offset(64), reg.Z0, reg.K2)
	ADDQ(Imm(128), keys.Base)
	DECQ(warps)
	KORTESTW(reg.K1, reg.K2)
	JZ(LabelRef("warp"))
	KMOVW(reg.K1, lanes.As32())
	KMOVW(reg.K2, high.As32())
	SHLQ(Imm(16), high)
	ORQ(high, lanes)
	LEAQ(Mem{Base: lanes, Index: lanes, Scale: 1}, begins)
	NOTQ(begins)
	ANDQ(lanes, begins)
	POPCNTQ(lanes, lanes)
	POPCNTQ(begins, begins)
	ADDQ(lanes, updates)
	ADDQ(begins, segments)
	INCQ(holding)
	JMP(LabelRef("warp"))

	Label("done")
	VZEROUPPER()
	ADDQ(updates, counts)
	ADDQ(holding, counts.Offset(8))
	ADDQ(segments, counts.Offset(16))
	RET()
}
