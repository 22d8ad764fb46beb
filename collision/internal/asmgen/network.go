package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// zmm are the 32 vector registers of 512 bits.
var zmm = [32]reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// comparators lists Batcher's odd-even merge sorting network of n inputs, n a
// power of two: K. E. Batcher. Sorting Networks and Their Applications. AFIPS
// SJCC 1968. For 32 inputs it has 191 comparators.
func comparators(n int) [][2]int {
	var net [][2]int
	for p := 1; p < n; p *= 2 {
		for k := p; k >= 1; k /= 2 {
			for j := k % p; j+k < n; j += 2 * k {
				for i := 0; i < k && i+j+k < n; i++ {
					if (i+j)/(2*p) == (i+j+k)/(2*p) {
						net = append(net, [2]int{i + j, i + j + k})
					}
				}
			}
		}
	}
	return net
}

// sortColumns loads the 32 rows at from, sorts each of their 16 columns in
// ascending order and stores the rows at to. With rotate each key is rotated
// right by that many bits first.
//
// A comparator needs a spare register for the minimum, so the last row stays
// in memory and the register that a minimum frees becomes the next spare.
func sortColumns(from, to Mem, rotate uint64) {
	const inMemory = 31
	var row [inMemory]reg.VecPhysical
	copy(row[:], zmm[:inMemory])
	spare := zmm[inMemory]
	load := func(i int, r reg.VecPhysical) {
		if rotate == 0 {
			VMOVDQU32(from.Offset(64*i), r)
		} else {
			VPRORD(Imm(rotate), from.Offset(64*i), r)
		}
	}
	load(inMemory, spare)
	VMOVDQU32(spare, to.Offset(64*inMemory))
	for i, r := range row {
		load(i, r)
	}
	for _, c := range comparators(32) {
		low, high := c[0], c[1]
		if high == inMemory {
			VPMAXUD(to.Offset(64*inMemory), row[low], spare)
			VPMINUD(to.Offset(64*inMemory), row[low], row[low])
			VMOVDQU32(spare, to.Offset(64*inMemory))
			continue
		}
		VPMINUD(row[high], row[low], spare)
		VPMAXUD(row[high], row[low], row[high])
		row[low], spare = spare, row[low]
	}
	for i, r := range row {
		VMOVDQU32(r, to.Offset(64*i))
	}
}

// transpose16 loads 16 rows of 16 keys, row i at from.Offset(fromStep*i), and
// stores the 16 columns, column i at to.Offset(toStep*i).
func transpose16(from Mem, fromStep int, to Mem, toStep int) {
	a, b := zmm[:16], zmm[16:]
	for i := range a {
		VMOVDQU32(from.Offset(fromStep*i), a[i])
	}
	for i := 0; i < 16; i += 2 {
		VPUNPCKLDQ(a[i+1], a[i], b[i])
		VPUNPCKHDQ(a[i+1], a[i], b[i+1])
	}
	for i := 0; i < 16; i += 4 {
		VPUNPCKLQDQ(b[i+2], b[i], a[i])
		VPUNPCKHQDQ(b[i+2], b[i], a[i+1])
		VPUNPCKLQDQ(b[i+3], b[i+1], a[i+2])
		VPUNPCKHQDQ(b[i+3], b[i+1], a[i+3])
	}
	// a[4g+c] lane L now holds column 4L+c of rows 4g to 4g+3.
	const evenLanes, oddLanes = 0x88, 0xdd
	for c := 0; c < 4; c++ {
		VSHUFI32X4(Imm(evenLanes), a[4+c], a[c], b[c])
		VSHUFI32X4(Imm(oddLanes), a[4+c], a[c], b[4+c])
		VSHUFI32X4(Imm(evenLanes), a[12+c], a[8+c], b[8+c])
		VSHUFI32X4(Imm(oddLanes), a[12+c], a[8+c], b[12+c])
	}
	for c := 0; c < 4; c++ {
		VSHUFI32X4(Imm(evenLanes), b[8+c], b[c], a[c])
		VSHUFI32X4(Imm(evenLanes), b[12+c], b[4+c], a[4+c])
		VSHUFI32X4(Imm(oddLanes), b[8+c], b[c], a[8+c])
		VSHUFI32X4(Imm(oddLanes), b[12+c], b[4+c], a[12+c])
	}
	for i := range a {
		VMOVDQU32(a[i], to.Offset(toStep*i))
	}
}
