package calibration

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
)

// answers sets what old values take on their way back, where that was measured: additions of all
// types, which agree, on random sectors of L2. Nothing else shows it: one address alone is added to
// no slower where the old value is used.
func (b *builder) answers() {
	lanes := b.p.Core.WarpLanes.Value
	alone := b.answering("used", lanes, b.p.Core.SMs.Value)
	one := b.answering("used", lanes, 1)
	if len(alone) == 0 || len(one) == 0 {
		return // Assume says what is taken
	}
	first := mean(alone).times(1 / lanes)
	again, stored := b.furtherPasses(first), b.storedSectors(alone)
	if len(again) == 0 || len(stored) == 0 {
		return
	}
	slices, timing := b.p.Global.Slices.Value, &device.AnswerTiming{}
	set := b.setter(timing, "global.answers.")
	say := func(field string, e estimate, how string, args ...any) {
		set(field, e.by(b.cycles).from("returns", "throughput "+how, args...))
	}
	say("sector", first.times(slices), "result=used spread=apart of all SMs, each lane on its own "+
		"sector: cycles of a slice a pass, geometric mean of %d types", len(alone))
	say("pass", geometric(again).times(slices), "result=used spread=apart of all SMs, a warp on all "+
		"words of a sector: cycles of a slice for each pass behind the first, geometric mean of %d types; "+
		"a warp on one word says more, but recorded calls do not show it", len(again))
	say("sm", mean(one).times(1/lanes), "result=used spread=apart of one SM, each lane on its own "+
		"sector: cycles a pass, geometric mean of %d types", len(one))
	say("store", geometric(stored).times(slices), "spread=apart of all SMs, each lane on its own sector, "+
		"result=stored less result=used: cycles of a slice for a stored sector, geometric mean of %d types",
		len(stored))
	b.p.Global.Answers = timing
}

// answering returns the readings of such a result of additions on so many random sectors, from so
// many SMs, by most warps: one a type.
func (b *builder) answering(result string, sectors, sms float64) []reading {
	parameters := fmt.Sprintf("result=%s spread=apart sectors=%.0f sms=%.0f", result, sectors, sms)
	return most(b.rows.rows("returns", "throughput", parameters), "warps")
}

// mean is the geometric mean of readings.
func mean(rows []reading) estimate {
	var each []estimate
	for _, r := range rows {
		each = append(each, middle("", []reading{r}))
	}
	return geometric(each)
}

// furtherPasses is what each pass behind the first takes, in ns of the device, where a warp's lanes
// are spread over the words of one sector.
func (b *builder) furtherPasses(first estimate) (each []estimate) {
	for _, r := range b.answering("used", 1, b.p.Core.SMs.Value) {
		e := middle("", []reading{r}).less(first).times(1 / (b.sectorsOf(r) - 1))
		each = appendPositive(each, e)
	}
	return each
}

// storedSectors is what each sector of old values takes to store, in ns of the device, behind the
// readings of each type in which they are not stored.
func (b *builder) storedSectors(used []reading) (each []estimate) {
	for _, r := range b.answering("stored", b.p.Core.WarpLanes.Value, b.p.Core.SMs.Value) {
		for _, u := range used {
			if u.parameters["op"] == r.parameters["op"] {
				e := middle("", []reading{r}).less(middle("", []reading{u})).times(1 / b.sectorsOf(r))
				each = appendPositive(each, e)
			}
		}
	}
	return each
}

func appendPositive(list []estimate, e estimate) []estimate {
	if e.value > 0 {
		list = append(list, e)
	}
	return list
}

// sectorsOf is how many sectors the words of a warp fill to which a reading's operation adds.
func (b *builder) sectorsOf(r reading) float64 {
	t, _, _ := ParseColumn(r.parameters["op"])
	return b.p.Core.WarpLanes.Value * float64(t.Bytes()) / b.p.Global.SectorBytes.Value
}

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
				d := math.Abs(math.Log(model / r.Value))
				sum, worst, n = sum+d, max(worst, d), n+1
			}
		}
		if n > 0 && sum < least-1e-9 {
			least, best, off = sum, float64(w), worst
		}
	}
	return best, off
}

const iterationsDrawn = 4096 // the number of requests that inTurn follows

// inTurn is the time per pass of a queue that begins requests of a sector each in
// their order, works on at most w at once, lets one wait for another on the same
// of so many sectors, each drawn alike, and is busy for pass with each.
func inTurn(w, sectors int, same, pass float64) float64 {
	rng := seeded("global_atomics.slice.requests")
	under := make([]float64, w)
	chain := make([]float64, sectors)
	free := 0.0
	for i := range iterationsDrawn {
		s := rng.IntN(sectors)
		begin := max(free, under[i%w], chain[s])
		free = begin + pass
		chain[s] = begin + max(same, pass)
		under[i%w] = chain[s]
	}
	return max(free, under[(iterationsDrawn-1)%w]) / iterationsDrawn
}
