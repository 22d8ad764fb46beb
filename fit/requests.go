package fit

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/portable"
)

// sliceTiming sets what requests of different shapes show of a slice's atomic
// unit, where they were measured: lanes of a warp on one word each, on all words
// of a line, and on few sectors of one chunk.
func (b *builder) sliceTiming(t device.Type, a *device.GlobalAtomic, pass estimate) {
	op := t.String() + "_add"
	line := b.everySM(fmt.Sprintf("op=%s spread=line targets=1 stride=%d", op, t.Bytes()))
	if len(line) == 0 {
		return
	}
	timing := &device.SliceTiming{}
	place := "global_atomics." + t.String() + ".slice."
	set := b.setter(timing, place)
	sectors := b.p.Core.WarpLanes.Value * float64(t.Bytes()) / sectorBytes
	set("word", pass.by(b.cycles).from("global", onOneWord, "u32_add"))
	set("sector", middle(place+"sector", line).times(1/sectors).by(b.cycles).from("global",
		"throughput op=%s spread=line targets=1: all warps on one line, cycles a sector", op))
	requests, off := b.requests(op, a.SameAddress.Value/b.cycles.value, pass.value)
	if requests == 0 {
		return // nothing tells
	}
	set("requests", exactly(requests, "").from("global", "throughput op=%s spread=warp on up to 8 "+
		"sectors of a chunk, against a queue that works on so many at once: %.1f %% off at most",
		op, 100*off))
	a.Slice = timing
}

const mostRequests = 8 // bounds the search for the requests on which a slice works at once

// requests returns the number of requests on which a slice works at once that
// explains best what warps take, each with all lanes on one of few sectors of a
// chunk, and the largest relative error. Of equally good ones it is the least.
func (b *builder) requests(op string, same, pass float64) (best, off float64) {
	least := math.Inf(1)
	for w := 1; w <= mostRequests; w++ {
		sum, worst, n := 0.0, 0.0, 0
		for _, sectors := range []int{2, 4, 8} {
			for _, r := range b.everySM(
				fmt.Sprintf("op=%s spread=warp targets=%d stride=%d", op, sectors, sectorBytes)) {
				model := b.p.Core.WarpLanes.Value * inTurn(w, sectors, same, pass)
				d := math.Abs(portable.Log(model / r.Value))
				sum, worst, n = sum+d, max(worst, d), n+1
			}
		}
		if n > 0 && sum < least-1e-9 {
			least, best, off = sum, float64(w), worst
		}
	}
	return best, off
}

const turnsDrawn = 4096 // the number of requests that inTurn follows

// inTurn is the time per pass of a queue that begins requests of a sector each in
// their order, works on at most w at once, lets one wait for another on the same
// of so many sectors, each drawn alike, and is busy for pass with each.
func inTurn(w, sectors int, same, pass float64) float64 {
	rng := seeded("global_atomics.slice.requests")
	under := make([]float64, w)
	chain := make([]float64, sectors)
	free := 0.0
	for i := range turnsDrawn {
		s := rng.IntN(sectors)
		begin := max(free, under[i%w], chain[s])
		free = begin + pass
		chain[s] = begin + max(same, pass)
		under[i%w] = chain[s]
	}
	return max(free, under[(turnsDrawn-1)%w]) / turnsDrawn
}
