package micro

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
)

// ways are what becomes of an addition's old value. unused and beside do not ask for it, and
// beside stores another value; used sums it up in a register, stored stores it.
var ways = []string{"unused", "beside", "used", "stored"}

// answer is how a warp's lanes lie in the sectors that answer: so many sectors, of which each
// has as many lanes on neighbouring words. apart: of sectors at random; line: of one region;
// word: on one word.
type answer struct {
	spread  string
	sectors int
}

func answersOf(typ string, quick bool) []answer {
	if quick {
		return []answer{{"apart", 1}, {"apart", warpLanes}}
	}
	line := answer{"line", warpLanes * int(elementBytes(typ)) / sectorBytes}
	return []answer{{"word", 1}, line, {"apart", 1}, {"apart", 4}, {"apart", 8}, {"apart", warpLanes}}
}

// place returns the bytes from one place to the next, the mask of a lane's word in it, and the
// binary logarithm of the lanes that go to a place together.
func (a answer) place(typ string) (stride, wordMask, groupBits uint32) {
	switch a.spread {
	case "word":
		return sectorBytes, 0, warpBits
	case "line":
		return uint32(a.sectors) * sectorBytes, warpLanes - 1, warpBits
	}
	words := sectorBytes / uint32(elementBytes(typ))
	return sectorBytes, words - 1, uint32(bits.Len(uint(warpLanes/a.sectors)) - 1)
}

const (
	warpBits     = 5       // warpLanes is 2^warpBits
	returnsBytes = 8 << 20 // of the targets, and of the old values that are kept
	returnsTurn  = 8       // additions of the kernel's turn
)

// returnsWarps are the SMs and the warps of each that are measured: all, fewer warps, so that
// less is under way at once, and one SM.
func (b *bench) returnsWarps(a answer) []warps {
	some := []warps{{b.sms(), blockThreads / warpLanes}}
	if a.spread == "apart" && (a.sectors == 4 || a.sectors == warpLanes) {
		some = append(some, warps{1, some[0].each})
	}
	if !b.quick {
		some = append(some, warps{b.sms(), some[0].each / 4})
	}
	return some
}

type warps struct{ sms, each int }

// returns measures additions whose results come back, beside the same without: nanoseconds of
// the device for one warp's instruction. All sectors fit in L2. Old values are kept in as many bytes
// as the targets have.
func (b *bench) returns(typ string) {
	bytes := uint64(returnsBytes)
	l2 := cmp.Or(uint64(b.device.Attribute("l2_bytes")), 4*returnsBytes)
	for bytes > l2/4 {
		bytes /= 2
	}
	targets, out := b.Zeros(bytes+guardBytes), b.Zeros(bytes)
	b.warmUp()
	outMask := uint32(bytes/elementBytes(typ)) - 1
	for _, a := range answersOf(typ, b.quick) {
		stride, wordMask, groupBits := a.place(typ)
		dropped := uint32(32 - bits.TrailingZeros64(bytes/uint64(stride)))
		for _, w := range b.returnsWarps(a) {
			for _, way := range ways {
				b.nanoseconds(fmt.Sprintf("throughput op=%s_add result=%s spread=%s sectors=%d warps=%d sms=%d",
					typ, way, a.spread, a.sectors, w.each, w.sms),
					b.Kernel("global_returns", "global_returns_"+typ+"_"+way),
					b.blocksAlone(w.sms, w.each*warpLanes), returnsTurn,
					func(_ int, steps uint32, _ driver.Memory) []any {
						return []any{targets, groupBits, wordMask, dropped, stride, operand(typ, 1), steps, out,
							outMask}
					})
			}
		}
	}
}
