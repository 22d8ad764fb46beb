package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mergeKernel merges neighbouring sorted runs of the given length, 32, 64 or
// 128 keys, by a bitonic merge that stays in registers.
func mergeKernel(run int) {
	name := fmt.Sprintf("mergeRuns%dAVX512", run)
	TEXT(name, NOSPLIT, "func(keys *uint32, pairs int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s merges each of pairs neighbouring pairs of sorted runs of %d keys in place.",
		name, run))
	keys := Mem{Base: Load(Param("keys"), GP64())}
	pairs := Load(Param("pairs"), GP64())
	backwards, temp := zmm[30], zmm[31]
	loadBackwards(backwards)
	upperLanes()

	Label("pair")
	CMPQ(pairs, Imm(0))
	JE(LabelRef("done"))
	vectors := 2 * run / 16
	v := make([]reg.VecPhysical, vectors)
	copy(v, zmm[:vectors])
	half := vectors / 2
	for i := range v {
		if i < half {
			VMOVDQU32(keys.Offset(64*i), v[i])
		} else {
			// The second run enters back to front: the pair is bitonic.
			VPERMD(keys.Offset(64*(vectors-1-(i-half))), backwards, v[i])
		}
	}
	for d := half; d >= 1; d /= 2 {
		for i := range v {
			if i&d == 0 {
				VPMINUD(v[i+d], v[i], temp)
				VPMAXUD(v[i+d], v[i], v[i+d])
				v[i], temp = temp, v[i]
			}
		}
	}
	for i := range v {
		v[i], temp = mergeWithin(v[i], zmm[29], temp)
		VMOVDQU32(v[i], keys.Offset(64*i))
	}
	ADDQ(U32(uint32(8*run)), keys.Base)
	DECQ(pairs)
	JMP(LabelRef("pair"))

	Label("done")
	VZEROUPPER()
	RET()
}

// mergeWithin sorts the bitonic sequence of 16 keys in v with the steps of
// distance 8, 4, 2 and 1. It returns the register of the result and a free
// one.
func mergeWithin(v, partner, temp reg.VecPhysical) (sorted, free reg.VecPhysical) {
	upper := [4]reg.OpmaskPhysical{reg.K1, reg.K2, reg.K3, reg.K4}
	for step, k := range upper {
		switch step {
		case 0:
			VSHUFI32X4(Imm(0x4e), v, v, partner)
		case 1:
			VSHUFI32X4(Imm(0xb1), v, v, partner)
		case 2:
			VPSHUFD(Imm(0x4e), v, partner)
		case 3:
			VPSHUFD(Imm(0xb1), v, partner)
		}
		VPMINUD(partner, v, temp)
		VPMAXUD(partner, v, k, temp)
		v, temp = temp, v
	}
	return v, temp
}

// upperLanes sets K1 to K4 to the lanes that receive the maximum in the steps
// of distance 8, 4, 2 and 1.
func upperLanes() {
	masks := [4]uint32{0xff00, 0xf0f0, 0xcccc, 0xaaaa}
	for i, k := range []reg.OpmaskPhysical{reg.K1, reg.K2, reg.K3, reg.K4} {
		g := GP32()
		MOVL(U32(masks[i]), g)
		KMOVW(g, k)
	}
}

// loadBackwards loads the permutation that turns a vector of 16 keys round.
func loadBackwards(r reg.VecPhysical) {
	table := GLOBL("backwards"+fmt.Sprint(len(globals)), RODATA|NOPTR)
	globals = append(globals, table)
	for i := 0; i < 16; i++ {
		DATA(4*i, U32(uint32(15-i)))
	}
	VMOVDQU32(table, r)
}

var globals []Mem
