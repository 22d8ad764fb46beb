package device

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/internal/strictjson"
)

// Assume fills in those quantities that recorded calls show and readings do not, and those
// that older readings lack, where they are missing, and returns their places. A device whose
// slices were measured is taken to behave as the recordings of an NVIDIA H200 say. Of another one
// nothing is known, and it is taken to have none of the costs that only these show.
func (p *Profile) Assume() (places []string) {
	atomic := p.GlobalAtomics[p.Types[U32].Global]
	measured := atomic.Slice != nil
	fill := func(place string, q *Quantity, unit string, recorded float64, rationale string) {
		if q.Unit == "" {
			*q = Quantity{recorded, unit, recordedCalls, rationale}
			places = append(places, place)
		}
	}
	either := func(
		place string, q *Quantity, unit string, recorded, otherwise float64, rationale, without string,
	) {
		if measured {
			fill(place, q, unit, recorded, rationale)
		} else if q.Unit == "" {
			*q = Quantity{otherwise, unit, "assumed", "no calls were recorded: " + without}
			places = append(places, place)
		}
	}
	s, g, m, l := &p.Shared, &p.Global, &p.Memory, &p.Library
	fill("shared.contended_adds", &s.ContendedAdds, "1", 2.4,
		"readings of contention, each of which says between 1.7 and 3.5")
	fill("shared.in_step", &s.InStep, "1", 0.7, "between the streams of short and of long runs")
	fill("shared.block_locality", &s.BlockLocality, "1", 0.35,
		"the choices on the calls to fit to lose the same with any value")
	if o := &g.InOrder; o.Source == "" {
		*o = Capability{false, "assumed", "no calls were recorded: misses hold up nothing"}
		if measured {
			*o = Capability{true, recordedCalls, "streams on one hot target among others beyond L2"}
		}
		places = append(places, "global.in_order")
	}
	either("global.slice_requests", &g.SliceRequests, "1", 36, 1,
		"least squares over streams on one hot target among others beyond L2, "+
			"where a factor of 1.2 on either side fits within 5 %", "not read, as in_order is false")
	either("global.store_pass", &g.StorePass, "cycle", atomic.Pass.Value, 0,
		"as an atomic pass of u32", "taken to cost nothing")
	if g.Answers == nil && measured {
		g.Answers = &AnswerTiming{times(1.4, atomic.Pass, "the pass of u32"),
			times(2.3, atomic.Pass, "the pass of u32"), times(2.8, g.SMSector, "sm_sector"),
			times(0.8, atomic.Pass, "the pass of u32")}
		places = append(places, "global.answers")
	}
	fill("memory.l2_ways", &m.L2Ways, "1", 16, "how many requests miss where the targets just fit")
	fill("memory.l2_copies", &m.L2Copies, "1", 2,
		"scattered stores miss as atomics do in twice the targets")
	either("memory.fill_bytes", &m.FillBytes, "byte", 128, 0,
		"two sectors are read, and written in the end", "taken to cost nothing")
	fill("memory.hot_warps", &m.HotWarps, "1", 64, "streams on hot targets among others beyond L2")
	either("launch.later_start", &p.Launch.LaterStart, "us", 2.1, 0, "medians over the short calls "+
		"to fit to: 2.7 on H200s, 1.5 on H100s, whose hosts differ; this is their mean",
		"taken to cost nothing")
	fill("library.sort_warps", &l.SortWarps, "1", 12, "calls of sort")
	fill("library.sort_keys", &l.SortKeys, "1", 22, "calls of sort")
	fill("library.segment_warps", &l.SegmentWarps, "1", 24, "calls of sort and segreduce")
	fill("library.segment_keys", &l.SegmentKeys, "1", 15, "calls of sort and segreduce")
	either("library.first_words", &l.FirstWords, "1", 0, 1,
		"calls of sort and segreduce", "words are taken to come one after the other")
	either("library.further_words", &l.FurtherWords, "1", 0.8, 1,
		"calls of sort and segreduce", "words are taken to come one after the other")
	if p.Rows.Launch.Unit == "" {
		p.Rows, places = assumedRows(), append(places, "rows")
		major, _, _ := p.ComputeCapability() // 0 of other vendors' devices
		p.Rows.Vectors.Value = major >= 9
	}
	return places
}

// assumedRows are the times of rows that the only recorded calls show.
var assumedRows = strictjson.Embedded[RowTimes]("device/rows.json", &rowsText)

//go:embed rows.json
var rowsText []byte

// times is a time of an old value on its way, in terms of one that was measured.
func times(factor float64, of Quantity, name string) Quantity {
	return Quantity{math.Round(1e3*factor*of.Value) / 1e3, of.Unit, recordedReadings,
		fmt.Sprintf("old values were not measured: %g times %s, as there", factor, name)}
}

// The sources of what calls show, and of what older readings lack.
const (
	recordedCalls    = "calls recorded on an NVIDIA H200 (datasets/h200)"
	recordedReadings = "readings of an NVIDIA H200 (datasets/h200)"
)
