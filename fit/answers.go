package fit

import (
	"fmt"

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
	set("sector", first.times(slices).by(b.cycles).from("returns", "throughput result=used "+
		"spread=apart of all SMs, each lane on its own sector: cycles of a slice a pass, geometric "+
		"mean of %d types", len(alone)))
	set("pass", geometric(again).times(slices).by(b.cycles).from("returns", "throughput result=used "+
		"spread=apart of all SMs, a warp on all words of a sector: cycles of a slice for each pass "+
		"behind the first, geometric mean of %d types; a warp on one word says more, but recorded "+
		"calls do not show it", len(again)))
	set("sm", mean(one).times(1/lanes).by(b.cycles).from("returns", "throughput result=used "+
		"spread=apart of one SM, each lane on its own sector: cycles a pass, geometric mean of %d "+
		"types", len(one)))
	set("store", geometric(stored).times(slices).by(b.cycles).from("returns", "throughput "+
		"spread=apart of all SMs, each lane on its own sector, result=stored less result=used: cycles "+
		"of a slice for a stored sector, geometric mean of %d types", len(stored)))
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
		passes := b.p.Core.WarpLanes.Value * wordBytes(r) / b.p.Global.SectorBytes.Value
		if e := middle("", []reading{r}).less(first).times(1 / (passes - 1)); e.value > 0 {
			each = append(each, e)
		}
	}
	return each
}

// storedSectors is what each sector of old values takes to store, in ns of the device, behind the
// readings of each type in which they are not stored.
func (b *builder) storedSectors(used []reading) (each []estimate) {
	lanes := b.p.Core.WarpLanes.Value
	for _, r := range b.answering("stored", lanes, b.p.Core.SMs.Value) {
		sectors := lanes * wordBytes(r) / b.p.Global.SectorBytes.Value
		for _, u := range where(used, func(u reading) bool {
			return u.parameters["op"] == r.parameters["op"]
		}) {
			e := middle("", []reading{r}).less(middle("", []reading{u})).times(1 / sectors)
			if e.value > 0 {
				each = append(each, e)
			}
		}
	}
	return each
}

// wordBytes is the size of the words to which a reading's operation adds.
func wordBytes(r reading) float64 {
	for _, t := range []device.Type{device.U64, device.F64} {
		if r.parameters["op"] == t.String()+"_add" {
			return float64(t.Bytes())
		}
	}
	return float64(device.U32.Bytes())
}
