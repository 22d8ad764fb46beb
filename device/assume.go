package device

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/internal/strictjson"
)

// assumption is what a quantity or capability is taken to be that a profile lacks.
type assumption struct {
	Place     string
	Value     float64 // of a capability, 1 for yes
	Passes    float64 // plus so many atomic passes of u32
	Rationale string
	// Else is taken where slices were not measured, if Without says why.
	Else    float64
	Without string
}

var (
	//go:embed assumed.json
	assumedText []byte
	assumed     = strictjson.Embedded[[]assumption]("device/assumed.json", &assumedText)

	//go:embed rows.json
	rowsText []byte
	// assumedRows are the times of rows that the only recorded calls show.
	assumedRows = strictjson.Embedded[RowTimes]("device/rows.json", &rowsText)
)

// The sources of what calls show, and of what older readings lack.
const (
	recordedCalls    = "calls recorded on an NVIDIA H200 (datasets/h200)"
	recordedReadings = "readings of an NVIDIA H200 (datasets/h200)"
)

// Assume fills in those quantities that recorded calls show and readings do not, and those
// that older readings lack, where they are missing, and returns their places. A device whose
// slices were measured is taken to behave as the recordings of an NVIDIA H200 say. Of another one
// nothing is known, and it is taken to have none of the costs that only these show.
func (p *Profile) Assume() (places []string) {
	missing := map[string]Fact{}
	p.Facts(func(f Fact) {
		if q := f.Quantity; q != nil && q.Unit == "" || q == nil && f.Source() == "" {
			missing[f.Place] = f
		}
	})
	atomic := p.GlobalAtomics[p.Types[U32].Global]
	for _, a := range assumed() {
		f, ok := missing[a.Place]
		if !ok {
			continue
		}
		value, source, rationale := a.Value+a.Passes*atomic.Pass.Value, recordedCalls, a.Rationale
		if a.Without != "" && atomic.Slice == nil {
			value, source, rationale = a.Else, "assumed", "no calls were recorded: "+a.Without
		}
		if f.Quantity != nil {
			f.Quantity.Value, f.Quantity.Unit = value, f.Unit()
		} else {
			f.Capability.Value = value == 1
		}
		f.Say(source, rationale)
		places = append(places, a.Place)
	}
	if g := &p.Global; g.Answers == nil && atomic.Slice != nil {
		of := func(factor float64, q Quantity, name string) Quantity {
			return Quantity{math.Round(1e3*factor*q.Value) / 1e3, q.Unit, recordedReadings,
				fmt.Sprintf("old values were not measured: %g times %s, as there", factor, name)}
		}
		pass := func(factor float64) Quantity { return of(factor, atomic.Pass, "the pass of u32") }
		g.Answers = &AnswerTiming{pass(1.4), pass(2.3), of(2.8, g.SMSector, "sm_sector"), pass(0.8)}
		places = append(places, "global.answers")
	}
	if p.Rows.Launch.Unit == "" {
		p.Rows, places = assumedRows(), append(places, "rows")
		major, _, _ := p.ComputeCapability() // 0 of other vendors' devices
		p.Rows.Vectors.Value = major >= 9
	}
	return places
}
