package emit

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/strictjson"
)

// FixedPoint is how long deterministic sums of the headers took, which are made in fixed point by any
// implementation (atomtune_deterministic.cuh), over the time of a sort of the same updates: a call for each
// recorded stream.
type FixedPoint struct {
	GPU     string      `json:"gpu"`
	Type    device.Type `json:"type"`
	Streams int         `json:"streams"`
	Median  float64     `json:"median"`
	Low     float64     `json:"low"` // 5 % of the ratios lie below, and 5 % above High
	High    float64     `json:"high"`
}

//go:embed fixed.json
var fixedText []byte

var fixedPoints = strictjson.Embedded[[]FixedPoint]("cuda/emit/fixed.json", &fixedText)

// fixedWordBytes is the size of a sum in fixed point.
var fixedWordBytes = map[device.Type]int{device.F32: 16, device.F64: 24}

// Deterministic says how a program gets sums that are the same bits on every run by a call that no
// ranking holds, and how long that took on a GPU where it was measured; "" if there is none for a
// kind of call.
func Deterministic(p *device.Profile, c device.Call) string {
	bytes := fixedWordBytes[c.Type]
	if p.Vendor != Vendor || bytes == 0 || c.Op != device.Add || c.Returns || c.OrderFree() {
		return ""
	}
	call, time := "scatter_add of atomtune_dispatch.cuh", ""
	if c.Wide() {
		call = "scatter_add_rows of atomtune_rows_update.cuh"
	} else {
		time = fixedTime(p, c)
	}
	return fmt.Sprintf("not ranked, because its time cannot be predicted: %s with atomtune::deterministic(options). "+
		"It adds in fixed point, gives the same bits on every run, and takes %d more bytes per target%s", call, bytes, time)
}

// fixedTime says how long such sums of single values took.
func fixedTime(p *device.Profile, c device.Call) string {
	list := slices.DeleteFunc(slices.Clone(fixedPoints()), func(f FixedPoint) bool { return f.Type != c.Type })
	f := list[max(0, slices.IndexFunc(list, func(f FixedPoint) bool { return f.GPU == p.Title }))]
	return fmt.Sprintf("; on %s it took %.3g times as long as sort in the median, %.3g to %.3g times for nine "+
		"of ten of %d streams of %s", f.GPU, f.Median, f.Low, f.High, f.Streams, f.Type)
}
