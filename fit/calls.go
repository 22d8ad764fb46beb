package fit

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
)

// contendedAdds sets how many adds to a word come through in a turn of a loop in
// hardware, where all warps of an SM add to the same words:
//
//	time per warp = max(round, warps·port)·degree·(1 + (warps-1)/adds) / warps
//
// It is the geometric mean over the readings of f32 and f64, to tenths: they differ by more.
func (b *builder) contendedAdds() error {
	var each []estimate
	for _, t := range []device.Type{device.F32, device.F64} {
		a := b.p.SharedAtomic(t)
		if a.Mechanism != device.Spin && a.Mechanism != device.Lock {
			continue
		}
		port := (a.Port.Value + a.WritePort.Value) * float64(t.Bytes()) / b.p.Shared.BankBytes.Value
		all := fmt.Sprintf("op=%s_add colliding_lanes=%.0f", t, b.p.Core.WarpLanes.Value)
		for _, r := range b.rows.rows("shared", "contention", all) {
			warps := r.number("warps")
			turns := r.Value * warps / (max(a.Round.Value, warps*port) * r.number("degree"))
			if warps >= 8 && r.number("colliding_warps") == warps && turns > 1 {
				adds := exactly((warps-1)/(turns-1), "")
				adds.once = r.Repeats < 2
				each = append(each, adds)
			}
		}
	}
	if len(each) == 0 {
		return nil // Assume says what is taken
	}
	e := geometric(each)
	e.value, e.exact = math.Round(10*e.value)/10, true
	b.put("shared.contended_adds", e.from("shared", "contention of f32 and f64, all of 8 warps "+
		"and more on the same words: geometric mean of %d readings, "+
		"each of which says between %.1f and %.1f", len(each), e.interval.Low, e.interval.High))
	return nil
}

// assumed fills in what recorded calls show and readings do not.
func (b *builder) assumed() error {
	for _, place := range b.p.Assume() {
		b.unidentified(place,
			"readings do not show it: as the profile says, from calls recorded elsewhere")
	}
	return nil
}
