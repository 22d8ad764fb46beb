package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The order of the sums that warpKernel adds up, one vector of 64 bytes each.
const (
	sumMax = iota
	sumDistinct
	sumSectors4
	sumSectors8
	sumPasses4
	sumPasses8
	sumBankDegree
	sumBankLanes
)

// warpKernel measures and sorts 16 warps of 32 keys at a time, one warp per
// vector lane: row i of the scratch holds key i of each warp, so that sorting
// the columns sorts the warps.
func warpKernel() {
	TEXT("warpGroupsAVX512", NOSPLIT,
		"func(sorted, keys *uint32, groups int, scratch *uint32, sums *[8][16]uint32)")
	Pragma("noescape")
	Doc("warpGroupsAVX512 sorts 16 groups of 32 keys per turn from keys into sorted and",
		"adds the statistics of each to its lane of sums. scratch has room for 1024 keys.")
	dst := Mem{Base: Load(Param("sorted"), GP64())}
	src := Mem{Base: Load(Param("keys"), GP64())}
	groups := Load(Param("groups"), GP64())
	columns := Mem{Base: Load(Param("scratch"), GP64())}
	ordered := columns.Offset(32 * 64)
	sums := Mem{Base: Load(Param("sums"), GP64())}

	Label("group")
	CMPQ(groups, Imm(0))
	JE(LabelRef("done"))
	transpose16(src, 128, columns, 64)
	transpose16(src.Offset(64), 128, columns.Offset(16*64), 64)
	sortColumns(columns, ordered, 0)
	targetPass(ordered, sums)
	transpose16(ordered, 64, dst, 128)
	transpose16(ordered.Offset(16*64), 64, dst.Offset(64), 128)
	sortColumns(columns, ordered, 5)
	bankPass(ordered, sums)
	ADDQ(U32(2048), src.Base)
	ADDQ(U32(2048), dst.Base)
	DECQ(groups)
	JMP(LabelRef("group"))

	Label("done")
	VZEROUPPER()
	RET()
}

// broadcast sets all 32-bit lanes of r to v.
func broadcast(v uint32, r reg.VecPhysical) {
	g := GP32()
	MOVL(U32(v), g)
	VPBROADCASTD(g, r)
}

// addTo adds r to a vector in memory; r is lost.
func addTo(sums Mem, which int, r reg.VecPhysical) {
	VPADDD(sums.Offset(64*which), r, r)
	VMOVDQU32(r, sums.Offset(64*which))
}

// targetPass walks the sorted rows once and adds the statistics of targets
// and sectors.
func targetPass(rows, sums Mem) {
	one, word4, word8 := zmm[0], zmm[1], zmm[2]
	broadcast(1, one)
	broadcast(^uint32(7), word4)
	broadcast(^uint32(3), word8)
	key := [2]reg.VecPhysical{zmm[3], zmm[4]}
	step, count, highest, distinct := zmm[5], zmm[6], zmm[7], zmm[8]
	sectors := [2]reg.VecPhysical{zmm[9], zmm[10]}
	passes := [2]reg.VecPhysical{zmm[11], zmm[12]}
	worst := [2]reg.VecPhysical{zmm[13], zmm[14]}
	for _, r := range []reg.VecPhysical{count, highest, distinct, sectors[0], sectors[1], worst[0],
		worst[1]} {
		VMOVDQA32(one, r)
	}
	VPXORD(passes[0], passes[0], passes[0])
	VPXORD(passes[1], passes[1], passes[1])
	VMOVDQU32(rows, key[0])
	newSector := [2]reg.OpmaskPhysical{reg.K2, reg.K3}
	for i := 1; i < 32; i++ {
		before, now := key[(i-1)%2], key[i%2]
		VMOVDQU32(rows.Offset(64*i), now)
		VPXORD(before, now, step)
		VPTESTMD(step, step, reg.K1)
		VPTESTMD(step, word4, newSector[0])
		VPTESTMD(step, word8, newSector[1])
		VPADDD(one, count, count)
		VMOVDQA32(one, reg.K1, count)
		VPMAXUD(count, highest, highest)
		VPADDD(one, distinct, reg.K1, distinct)
		for e := range sectors {
			VPADDD(one, sectors[e], newSector[e], sectors[e])
			VPADDD(worst[e], passes[e], newSector[e], passes[e])
			VPMAXUD(count, worst[e], worst[e])
			VMOVDQA32(one, newSector[e], worst[e])
		}
	}
	addTo(sums, sumMax, highest)
	addTo(sums, sumDistinct, distinct)
	for e := range sectors {
		VPADDD(worst[e], passes[e], passes[e])
		addTo(sums, sumSectors4+e, sectors[e])
		addTo(sums, sumPasses4+e, passes[e])
	}
}

// bankPass walks rows of keys rotated right by 5 and sorted, in which the
// lanes of one bank stand together, and adds the statistics of banks.
func bankPass(rows, sums Mem) {
	one, bank := zmm[0], zmm[1]
	broadcast(1, one)
	broadcast(31<<27, bank)
	key := [2]reg.VecPhysical{zmm[3], zmm[4]}
	step, lanes, words, mostLanes, mostWords := zmm[5], zmm[6], zmm[7], zmm[8], zmm[9]
	for _, r := range []reg.VecPhysical{lanes, words, mostLanes, mostWords} {
		VMOVDQA32(one, r)
	}
	VMOVDQU32(rows, key[0])
	for i := 1; i < 32; i++ {
		before, now := key[(i-1)%2], key[i%2]
		VMOVDQU32(rows.Offset(64*i), now)
		VPXORD(before, now, step)
		VPTESTMD(step, step, reg.K1)
		VPTESTMD(step, bank, reg.K2)
		VPADDD(one, lanes, lanes)
		VPADDD(one, words, reg.K1, words)
		VMOVDQA32(one, reg.K2, lanes)
		VMOVDQA32(one, reg.K2, words)
		VPMAXUD(lanes, mostLanes, mostLanes)
		VPMAXUD(words, mostWords, mostWords)
	}
	addTo(sums, sumBankDegree, mostWords)
	addTo(sums, sumBankLanes, mostLanes)
}
