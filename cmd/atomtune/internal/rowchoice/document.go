// Package rowchoice chooses among the forms of updates of rows, says why, and prints the document that
// choose --width prints.
package rowchoice

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
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
	Device    string               `json:"device"`
	Type      string               `json:"type"` // of the targets
	ValueType string               `json:"value_type"`
	Width     uint64               `json:"width"`
	Clear     bool                 `json:"clear"`
	Stream    input.StreamDocument `json:"stream"`
	Choice    Choice               `json:"choice"`
	Simulated *choice.Simulated    `json:"simulated,omitempty"`
	Floor     Floor                `json:"floor"`
	Ranking   []Ranked             `json:"ranking"`
	LeftOut   []LeftOut            `json:"left_out,omitempty"` // that the options do not admit
	// Ties are the forms whose predicted time lies within tuner.TieBand of that of the choice.
	Ties     []rows.Implementation `json:"ties"`
	Reason   string                `json:"reason"`
	Warnings []string              `json:"warnings"`
	Code     []string              `json:"code"` // CUDA code of the choice
	Legend   map[string]string     `json:"legend,omitempty"`

	profile *device.Profile
	call    rows.Call
	options choice.RowOptions
	all     []price.Price // the fastest first
	prices  []price.Price // of the ranking
	bounds  []price.Bound // that the reason names
}

// Choice is the form to use.
type Choice struct {
	Predicted
	SpeedupOverNaive float64 `json:"speedup_over_naive"`
}

// Predicted is the time of one form.
type Predicted struct {
	Implementation rows.Implementation `json:"implementation"`
	Class          string              `json:"class"`
	PredictedUS    float64             `json:"predicted_us"`
	LowUS          float64             `json:"low_us"` // to HighUS: the 90 % interval
	HighUS         float64             `json:"high_us"`
}

// Floor is what every form takes at least.
type Floor struct {
	price.Floor
	Share float64 `json:"share"` // of the predicted time of the choice
}

// Ranked is one form of a ranking.
type Ranked struct {
	Predicted
	Binding price.Bound  `json:"binding"`
	Parts   []price.Part `json:"parts"` // of the time; some of them overlap
	Launch  device.Shape `json:"launch"`
}

// LeftOut is a form that the options do not admit.
type LeftOut = tuner.LeftOutOf[rows.Implementation]

// New chooses for a stream. Errors are those of price.Of, and wrap tuner.ErrNone where the options admit no
// form.
func New(d *device.Profile, c rows.Call, o choice.RowOptions, stream input.StreamDocument) (Document, error) {
	doc := Document{Device: d.Name, Type: c.Kind.Target(), ValueType: c.Kind.Value(), Width: c.Width,
		Clear: !c.Keeps, Stream: stream, Ties: []rows.Implementation{}, Code: []string{},
		profile: d, call: c, options: o}
	err := doc.rank()
	if err != nil {
		return doc, err
	}
	best := doc.Best()
	doc.Choice = Choice{doc.Ranking[0].Predicted, doc.of(rows.Naive).US / best.US}
	floor := price.FloorOf(d, stream.Rows, c)
	doc.Floor = Floor{floor, floor.US / best.US}
	for _, p := range doc.prices[1:] {
		if p.US <= best.US*(1+tuner.TieBand) {
			doc.Ties = append(doc.Ties, p.Implementation())
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

// rank fills in the ranking, and what is left out of it.
func (d *Document) rank() (err error) {
	if d.all, err = price.Rank(d.profile, d.Stream.Rows, d.call); err != nil {
		return err
	}
	o, s := &d.options, d.Stream.Rows
	for _, p := range d.all {
		if len(o.Only) > 0 && !covered(o.Only, p) {
			continue
		}
		i, reason := p.Implementation(), ""
		switch bytes := i.WorkspaceBytes(s.Positions); {
		case covered(o.Exclude, p):
			reason = "excluded"
		case o.NoSort && i.Form == rows.Sort:
			reason = "re-orders the stream"
		case o.MemoryBytes > 0 && bytes > 0 && bytes > o.MemoryBytes:
			reason = fmt.Sprintf("needs %s", report.Bytes(float64(bytes)))
		case o.Deterministic && s.Updates != s.Unique:
			reason = "adds to each row in no fixed order"
		default:
			d.prices = append(d.prices, p)
			continue
		}
		d.LeftOut = append(d.LeftOut, LeftOut{Implementation: i, Reason: reason})
	}
	switch {
	case len(d.prices) > 0:
	case len(d.LeftOut) > 0:
		return fmt.Errorf("%w: %s (%s)", tuner.ErrNone, d.LeftOut[0].Implementation, d.LeftOut[0].Reason)
	default:
		return fmt.Errorf("%w: no table of %v fits", tuner.ErrNone, o.Only)
	}
	if o.Cautious {
		slices.SortStableFunc(d.prices, func(a, b price.Price) int { return cmp.Compare(a.HighUS, b.HighUS) })
	}
	for _, p := range d.prices {
		d.Ranking = append(d.Ranking, Ranked{Predicted{p.Implementation(), p.Form.Class().String(), p.US, p.LowUS,
			p.HighUS}, p.Bound, p.Parts, p.Shape.Launch(d.profile)})
	}
	return nil
}

func covered(list []rows.Implementation, p price.Price) bool {
	return slices.ContainsFunc(list, func(i rows.Implementation) bool { return i.Covers(p.Implementation()) })
}

// Best is the form of the choice.
func (d *Document) Best() price.Price { return d.prices[0] }

// of is the fastest price of a form, admitted or not.
func (d *Document) of(f rows.Form) (first price.Price) {
	for _, p := range d.all {
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
func (d *Document) Sorted(indices []uint32) (name string, us float64, err error) {
	other := Document{profile: d.profile, call: d.call, options: d.options}
	if other.Stream.Rows, err = reuse.Analyze(indices, d.Stream.Rows.Rows); err != nil {
		return "", 0, err
	}
	if err = other.rank(); err != nil {
		return "", 0, err
	}
	best := other.Best()
	if best.Form == d.Best().Form { // a table of another size is no other choice
		best.Slots = d.Best().Slots
	}
	return best.Implementation().String(), best.US, nil
}
