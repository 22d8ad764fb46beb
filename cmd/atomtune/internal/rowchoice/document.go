// Package rowchoice chooses among the forms of updates of rows, says why, and prints the document that
// choose --width prints.
package rowchoice

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/collision/reuse"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/rows"
	"github.com/atomtune/atomtune/rows/price"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// Document is what choose --width prints about one stream.
type Document struct {
	Device    string             `json:"device"`
	Type      string             `json:"type"` // of the targets
	ValueType string             `json:"value_type"`
	Width     uint64             `json:"width"`
	Clear     bool               `json:"clear"`
	Stream    input.RowsDocument `json:"stream"`
	Choice    Choice             `json:"choice"`
	Floor     Floor              `json:"floor"`
	Ranking   []Ranked           `json:"ranking"`
	// Ties are the forms whose predicted time lies within tuner.TieBand of that of the choice.
	Ties     []string          `json:"ties"`
	Reason   string            `json:"reason"`
	Warnings []string          `json:"warnings"`
	Code     []string          `json:"code"` // CUDA code of the choice
	Legend   map[string]string `json:"legend,omitempty"`

	profile *device.Profile
	call    rows.Call
	prices  []price.Price // the fastest first
	bounds  []price.Bound // that the reason names
}

// Choice is the form to use.
type Choice struct {
	Implementation   string  `json:"implementation"`
	Class            string  `json:"class"`
	PredictedUS      float64 `json:"predicted_us"`
	LowUS            float64 `json:"low_us"` // to HighUS: the 90 % interval
	HighUS           float64 `json:"high_us"`
	SpeedupOverNaive float64 `json:"speedup_over_naive"`
}

// Floor is what every form takes at least.
type Floor struct {
	price.Floor
	Share float64 `json:"share"` // of the predicted time of the choice
}

// Ranked is one form of a ranking.
type Ranked struct {
	Implementation string       `json:"implementation"`
	Class          string       `json:"class"`
	PredictedUS    float64      `json:"predicted_us"`
	LowUS          float64      `json:"low_us"`
	HighUS         float64      `json:"high_us"`
	Binding        price.Bound  `json:"binding"`
	Parts          []price.Part `json:"parts"` // of the time; some of them overlap
	Launch         device.Shape `json:"launch"`
}

// New chooses for a stream. Errors are those of price.Of.
func New(d *device.Profile, c rows.Call, stream input.RowsDocument) (Document, error) {
	doc := Document{Device: d.Name, Type: c.Kind.Target(), ValueType: c.Kind.Value(), Width: c.Width,
		Clear: !c.Keeps, Stream: stream, Ties: []string{}, Code: []string{},
		profile: d, call: c}
	prices, err := price.Rank(d, stream.Rows, c)
	if err != nil {
		return doc, err
	}
	doc.prices = prices
	for _, p := range prices {
		doc.Ranking = append(doc.Ranking, Ranked{p.Name(), p.Form.Class().String(), p.US, p.LowUS, p.HighUS,
			p.Bound, p.Parts, p.Shape.Launch(d)})
	}
	best := prices[0]
	doc.Choice = Choice{best.Name(), best.Form.Class().String(), best.US, best.LowUS, best.HighUS,
		doc.of(rows.Naive).US / best.US}
	floor := price.FloorOf(d, stream.Rows, c)
	doc.Floor = Floor{floor, floor.US / best.US}
	for _, p := range prices[1:] {
		if p.US <= best.US*(1+tuner.TieBand) {
			doc.Ties = append(doc.Ties, p.Name())
		}
	}
	why := reason{doc: &doc, best: best}
	doc.Reason, doc.bounds = why.text(), why.named
	doc.Warnings = append(model.ProfileNotes(d), price.Notes(d)...)
	if n := stream.Ignored; n > 0 {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("%s without an update: priced as ones whose index and "+
			"values are read, by a closed form that no measured call with such positions has tried",
			report.Counted(n, "position")))
	}
	return doc, nil
}

// Best is the form of the choice.
func (d *Document) Best() price.Price { return d.prices[0] }

// of is the fastest price of a form. Rank prices every form.
func (d *Document) of(f rows.Form) (first price.Price) {
	for _, p := range d.prices {
		if p.Form == f {
			return p
		}
	}
	return first
}

// Explain has the document say what the bounds mean that it names.
func (d *Document) Explain() {
	d.Legend = map[string]string{}
	for _, name := range d.named() {
		d.Legend[name] = price.Meaning(price.Bound(name))
	}
}

// named lists the bounds that the ranking or the reason names, by their names.
func (d *Document) named() (list []string) {
	for _, b := range d.bounds {
		list = append(list, string(b))
	}
	for _, r := range d.Ranking {
		list = append(list, string(r.Binding))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Sorted is the choice for the same stream sorted by its rows.
func (d *Document) Sorted(indices []uint32) (form string, us float64, err error) {
	s, err := reuse.Analyze(indices, d.Stream.Rows.Rows)
	if err != nil {
		return "", 0, err
	}
	list, err := price.Rank(d.profile, s, d.call)
	if err != nil {
		return "", 0, err
	}
	if list[0].Form == d.Best().Form {
		return d.Choice.Implementation, list[0].US, nil // a table of another size is no other choice
	}
	return list[0].Name(), list[0].US, nil
}
