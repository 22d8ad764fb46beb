package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ymm are the 16 vector registers of 256 bits.
var ymm = [16]reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
}

const row = 32 // bytes of a row of keys, one of each of 8 warps

// warpKernelAVX2 measures 8 warps of 32 keys at a time, one warp per vector lane, in the manner of
// warpKernel. The sorted warps stay in the scratch.
func warpKernelAVX2() {
	TEXT("warpGroupsAVX2", NOSPLIT,
		"func(keys *uint32, groups int, scratch *uint32, sums *[8][16]uint32)")
	Pragma("noescape")
	Doc("warpGroupsAVX2 adds the statistics of 8 groups of 32 keys per turn, each to its lane of sums,",
		"the first 8 of 16. scratch has room for 512 keys.")
	src := Mem{Base: Load(Param("keys"), GP64())}
	groups := Load(Param("groups"), GP64())
	columns := Mem{Base: Load(Param("scratch"), GP64())}
	ordered := columns.Offset(32 * row)
	sums := Mem{Base: Load(Param("sums"), GP64())}

	Label("group")
	CMPQ(groups, Imm(0))
	JE(LabelRef("done"))
	for i := 0; i < 4; i++ {
		transpose8(src.Offset(32*i), 128, columns.Offset(8*row*i))
	}
	targets := sortRows(columns, ordered, 0)
	targets.store()
	targetPassAVX2(ordered, sums)
	inBanks := sortRows(columns, ordered, 5)
	inBanks.store()
	bankPassAVX2(ordered, sums)
	ADDQ(U32(1024), src.Base)
	DECQ(groups)
	JMP(LabelRef("group"))

	Label("done")
	VZEROUPPER()
	RET()
}

// transpose8 loads 8 rows of 8 keys, row i at from.Offset(step*i), and stores the 8 columns.
func transpose8(from Mem, step int, to Mem) {
	a, b := ymm[:8], ymm[8:]
	for i := range a {
		VMOVDQU(from.Offset(step*i), a[i])
	}
	for i := 0; i < 8; i += 2 {
		VPUNPCKLDQ(a[i+1], a[i], b[i])
		VPUNPCKHDQ(a[i+1], a[i], b[i+1])
	}
	for i := 0; i < 8; i += 4 {
		VPUNPCKLQDQ(b[i+2], b[i], a[i])
		VPUNPCKHQDQ(b[i+2], b[i], a[i+1])
		VPUNPCKLQDQ(b[i+3], b[i+1], a[i+2])
		VPUNPCKHQDQ(b[i+3], b[i+1], a[i+3])
	}
	// a[4g+c] lane L now holds column 4L+c of rows 4g to 4g+3.
	for c := 0; c < 4; c++ {
		VPERM2I128(Imm(0x20), a[4+c], a[c], b[c])
		VPERM2I128(Imm(0x31), a[4+c], a[c], b[4+c])
	}
	for i := range b {
		VMOVDQU(b[i], to.Offset(row*i))
	}
}

// rowCache holds the rows of a sort that were used last in registers.
type rowCache struct {
	from, to Mem
	rotate   uint64
	at       map[int]reg.VecPhysical // the register of a row
	used     []int                   // rows in registers, the one used last at the end
	stored   map[int]bool            // rows that stand in to, not in from
	free     []reg.VecPhysical
}

// sortRows sorts the 32 rows at from into to, in the order of Batcher's network that sorts halves
// before it merges them, so that most comparators find their rows in registers. With rotate each key
// is rotated right by that many bits first.
func sortRows(from, to Mem, rotate uint64) *rowCache {
	c := &rowCache{from: from, to: to, rotate: rotate, at: map[int]reg.VecPhysical{},
		stored: map[int]bool{}, free: append([]reg.VecPhysical(nil), ymm[:]...)}
	for _, pair := range halvesFirst(0, 32) {
		low, high := c.load(pair[0], pair[1]), c.load(pair[1], pair[0])
		spare := c.register(pair[0], pair[1])
		VPMINUD(high, low, spare)
		VPMAXUD(high, low, high)
		c.at[pair[0]] = spare
		c.free = append(c.free, low)
	}
	return c
}

// halvesFirst lists the comparators of Batcher's network for n rows from lo on.
func halvesFirst(lo, n int) (net [][2]int) {
	if n < 2 {
		return nil
	}
	net = append(halvesFirst(lo, n/2), halvesFirst(lo+n/2, n/2)...)
	return append(net, mergeRows(lo, n, 1)...)
}

// mergeRows merges the two sorted halves of every step-th of n rows from lo on.
func mergeRows(lo, n, step int) (net [][2]int) {
	if 2*step >= n {
		return [][2]int{{lo, lo + step}}
	}
	net = append(mergeRows(lo, n, 2*step), mergeRows(lo+step, n, 2*step)...)
	for i := lo + step; i+step < lo+n; i += 2 * step {
		net = append(net, [2]int{i, i + step})
	}
	return net
}

// load returns the register of a row, and leaves another row in its own.
func (c *rowCache) load(i, other int) reg.VecPhysical {
	for at, used := range c.used {
		if used == i {
			c.used = append(append(c.used[:at:at], c.used[at+1:]...), i)
			return c.at[i]
		}
	}
	r := c.register(i, other)
	switch {
	case c.stored[i]:
		VMOVDQU(c.to.Offset(row*i), r)
	case c.rotate == 0:
		VMOVDQU(c.from.Offset(row*i), r)
	default: // there is no instruction for it
		t := c.register(i, other)
		VMOVDQU(c.from.Offset(row*i), t)
		VPSRLD(Imm(c.rotate), t, r)
		VPSLLD(Imm(32-c.rotate), t, t)
		VPOR(t, r, r)
		c.free = append(c.free, t)
	}
	c.at[i], c.used = r, append(c.used, i)
	return r
}

// register returns a free register. Where there is none, the row that was used longest ago, but
// neither of two, is stored.
func (c *rowCache) register(keep, also int) reg.VecPhysical {
	if len(c.free) == 0 {
		for at, i := range c.used {
			if i != keep && i != also {
				c.used = append(c.used[:at:at], c.used[at+1:]...)
				c.put(i)
				break
			}
		}
	}
	r := c.free[len(c.free)-1]
	c.free = c.free[:len(c.free)-1]
	return r
}

// put stores a row and frees its register.
func (c *rowCache) put(i int) {
	VMOVDQU(c.at[i], c.to.Offset(row*i))
	c.free, c.stored[i] = append(c.free, c.at[i]), true
	delete(c.at, i)
}

// store stores the rows that are in registers.
func (c *rowCache) store() {
	for _, i := range c.used {
		c.put(i)
	}
	c.used = nil
}

// countOne adds 1 to the lanes of r, given a register whose lanes are all -1.
func countOne(minusOne, r reg.VecPhysical) { VPSUBD(minusOne, r, r) }

// addToLanes adds r to the first lanes of one of the sums; r is lost.
func addToLanes(sums Mem, which int, r reg.VecPhysical) {
	VPADDD(sums.Offset(64*which), r, r)
	VMOVDQU(r, sums.Offset(64*which))
}

// targetPassAVX2 walks the sorted rows once and adds the statistics of targets and sectors.
func targetPassAVX2(rows, sums Mem) {
	zero, minusOne := ymm[0], ymm[1]
	key := [2]reg.VecPhysical{ymm[2], ymm[3]}
	step, same, temp := ymm[4], ymm[5], ymm[6]
	count, highest, distinct := ymm[7], ymm[8], ymm[9]
	sectors := [2]reg.VecPhysical{ymm[10], ymm[11]}
	passes := [2]reg.VecPhysical{ymm[12], ymm[13]}
	worst := [2]reg.VecPhysical{ymm[14], ymm[15]} // of the present sector
	VPXOR(zero, zero, zero)
	VPCMPEQD(minusOne, minusOne, minusOne)
	for _, r := range []reg.VecPhysical{passes[0], passes[1], distinct, sectors[0], sectors[1]} {
		VPXOR(r, r, r)
	}
	for _, r := range []reg.VecPhysical{count, highest, worst[0], worst[1]} {
		VPSRLD(Imm(31), minusOne, r) // 1
	}
	for _, r := range []reg.VecPhysical{distinct, sectors[0], sectors[1]} {
		countOne(minusOne, r)
	}
	VMOVDQU(rows, key[0])
	for i := 1; i < 32; i++ {
		before, now := key[(i-1)%2], key[i%2]
		VMOVDQU(rows.Offset(row*i), now)
		VPXOR(before, now, step)
		VPCMPEQD(step, zero, same)
		VPAND(same, count, count)
		countOne(minusOne, count)
		VPMAXUD(count, highest, highest)
		VPADDD(same, distinct, distinct) // minus those that are not, and 1 for each row below
		countOne(minusOne, distinct)
		for e, bits := range []uint64{3, 2} {
			VPSRLD(Imm(bits), step, temp)
			VPCMPEQD(temp, zero, same)
			VPADDD(same, sectors[e], sectors[e])
			countOne(minusOne, sectors[e])
			VPANDN(worst[e], same, temp) // those of sectors that ended
			VPADDD(temp, passes[e], passes[e])
			VPAND(same, worst[e], worst[e])
			VPMAXUD(count, worst[e], worst[e])
		}
	}
	addToLanes(sums, sumMax, highest)
	addToLanes(sums, sumDistinct, distinct)
	for e := range sectors {
		VPADDD(worst[e], passes[e], passes[e])
		addToLanes(sums, sumSectors4+e, sectors[e])
		addToLanes(sums, sumPasses4+e, passes[e])
	}
}

// bankPassAVX2 walks rows of keys rotated right by 5 and sorted, in which the lanes of one bank
// stand together, and adds the statistics of banks.
func bankPassAVX2(rows, sums Mem) {
	zero, minusOne := ymm[0], ymm[1]
	key := [2]reg.VecPhysical{ymm[2], ymm[3]}
	step, sameKey, sameBank := ymm[4], ymm[5], ymm[6]
	lanes, words, mostLanes, mostWords := ymm[7], ymm[8], ymm[9], ymm[10]
	VPXOR(zero, zero, zero)
	VPCMPEQD(minusOne, minusOne, minusOne)
	for _, r := range []reg.VecPhysical{lanes, words, mostLanes, mostWords} {
		VPSRLD(Imm(31), minusOne, r) // 1
	}
	VMOVDQU(rows, key[0])
	for i := 1; i < 32; i++ {
		before, now := key[(i-1)%2], key[i%2]
		VMOVDQU(rows.Offset(row*i), now)
		VPXOR(before, now, step)
		VPCMPEQD(step, zero, sameKey)
		VPSRLD(Imm(27), step, sameBank)
		VPCMPEQD(sameBank, zero, sameBank)
		VPAND(sameBank, lanes, lanes)
		countOne(minusOne, lanes)
		VPAND(sameBank, words, words)
		VPADDD(sameKey, words, words)
		countOne(minusOne, words)
		VPMAXUD(lanes, mostLanes, mostLanes)
		VPMAXUD(words, mostWords, mostWords)
	}
	addToLanes(sums, sumBankDegree, mostWords)
	addToLanes(sums, sumBankLanes, mostLanes)
}
