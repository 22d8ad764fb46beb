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
	alone := b.answering("spread=apart sectors=%.0f sms=%.0f", lanes, b.p.Core.SMs.Value)
	one := b.answering("spread=apart sectors=%.0f sms=1", lanes)
	if len(alone) == 0 || len(one) == 0 {
		return // Assume says what is taken
	}
	first := mean(alone).times(1 / lanes)
	again := b.furtherPasses(first)
	if len(again) == 0 {
		return
	}
	slices, timing := b.p.Global.Slices.Value, &device.AnswerTiming{}
	set := b.setter(timing, "global.answers.")
	set("sector", first.times(slices).by(b.cycles).from("returns", "throughput result=used "+
		"spread=apart of all SMs, each lane on its own sector: cycles of a slice a pass, geometric "+
		"mean of %d types", len(alone)))
	set("pass", geometric(again).times(slices).by(b.cycles).from("returns", "throughput result=used "+
		"of all SMs, a warp on one word or on all words of a sector: cycles of a slice for each pass "+
		"behind the first, geometric mean of %d readings", len(again)))
	set("sm", mean(one).times(1/lanes).by(b.cycles).from("returns", "throughput result=used "+
		"spread=apart of one SM, each lane on its own sector: cycles a pass, geometric mean of %d "+
		"types", len(one)))
	b.p.Global.Answers = timing
}

// answering returns the readings of additions whose results are used, by most warps, one a type.
func (b *builder) answering(parameters string, args ...any) []reading {
	return most(b.rows.rows("returns", "throughput", "result=used "+fmt.Sprintf(parameters, args...)),
		"warps")
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
// are all in one sector: as many passes as the lanes of a word.
func (b *builder) furtherPasses(first estimate) (each []estimate) {
	lanes := b.p.Core.WarpLanes.Value
	for _, spread := range []string{"word", "apart"} {
		for _, r := range b.answering("spread=%s sectors=1 sms=%.0f", spread, b.p.Core.SMs.Value) {
			passes := lanes
			if spread == "apart" {
				passes *= wordBytes(r) / b.p.Global.SectorBytes.Value
			}
			e := middle("", []reading{r}).less(first).times(1 / (passes - 1))
			if passes > 1 && e.value > 0 {
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
