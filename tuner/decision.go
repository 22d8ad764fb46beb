package tuner

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
)

// A Decision is the answer of Choose, and the JSON document of a choice. Times are microseconds of one call.
type Decision struct {
	Device string `json:"device"` // name of the profile
	Call
	Constraints Constraints `json:"constraints"`
	Stream      Stream      `json:"stream"`          // what the choice rests on
	Choice      Choice      `json:"choice"`          // of Ranking[0]
	Floor       *Floor      `json:"floor,omitempty"` // nil where the stream is not known
	// Ranking holds all implementations that the options admit and the device can run on this
	// stream, the fastest first but for the choice, or with Options.Cautious the one whose interval ends lowest.
	Ranking []Ranked `json:"ranking"`
	// LeftOut holds what could run but for the options; empty, not nil, where that is nothing.
	LeftOut []LeftOut `json:"left_out"`
	// Ties are the implementations within TieBand of the fastest, beside the choice, which is the simplest of them.
	Ties []impl.Spec `json:"ties"`
	// Settle names two or three implementations, the choice first, whose measurement would lower
	// Choice.LossBound most; none where that is small, nil without intervals.
	Settle []impl.Spec `json:"settle"`
	// Tree says what the device's tree decided, nil where none was asked.
	Tree *Deciding `json:"tree"`
	// HeldOutLoss is what choices of the model lost on families of streams that it had not seen, nil
	// without a model.
	HeldOutLoss *model.Loss `json:"held_out_loss,omitempty"`
	// Sampling is nil where the statistics came from the caller.
	Sampling *Sampling `json:"sampling,omitempty"`
	// Settling is what was read until the choice was settled, nil where there was no need to.
	Settling *Settling `json:"settling,omitempty"`
	Reason   string    `json:"reason"`   // why it is the choice, in a few sentences
	Why      string    `json:"-"`        // two sentences of Reason
	Warnings Warnings  `json:"warnings"` // doubts about the answer; empty, not nil, if there are none
}

// Call is a device.Call in the order of the documents.
type Call struct {
	Type      device.Type    `json:"type"` // of the targets
	Value     device.Operand `json:"value"`
	ValueType string         `json:"value_type,omitempty"` // of rows
	Width     uint64         `json:"width,omitempty"`      // of the row that each update adds
	Op        device.Op      `json:"op,omitzero"`          // of each update
	Returns   bool           `json:"returns"`
	Clear     bool           `json:"clear"`
	Of        device.Call    `json:"-"`
}

// NewCall returns the document of a call.
func NewCall(c device.Call) Call {
	doc := Call{Type: c.Type, Value: c.Operand, Width: c.Width, Op: c.Op, Returns: c.Returns,
		Clear: !c.Keeps, Of: c}
	if c.Wide() {
		doc.ValueType = c.ValueType().String()
	}
	return doc
}

// Constraints are what a choice was told beside stream, device and call.
type Constraints struct {
	Relaid        bool    `json:"relaid"`
	Deterministic bool    `json:"deterministic"`
	NoSort        bool    `json:"no_sort"`
	Cautious      bool    `json:"cautious"`
	Calls         int     `json:"calls"` // with the same indices
	SearchLaunch  bool    `json:"search_launch"`
	Launch        *string `json:"launch"`       // or several; null: by the rule, or searched
	MemoryBytes   *uint64 `json:"memory_bytes"` // beside stream and targets; null: any
}

// constraints returns what options ask for.
func (o *Options) constraints() Constraints {
	c := Constraints{Relaid: o.Relaid, Deterministic: o.Deterministic, NoSort: o.NoSort,
		Cautious: o.Cautious, Calls: max(1, o.Calls), SearchLaunch: o.Searches()}
	for _, l := range o.Launches {
		if c.Launch == nil && l != (device.Launch{}) {
			c.Launch = new(l.String())
		} else if c.Launch != nil {
			*c.Launch += "," + l.String()
		}
	}
	switch o.MemoryBytes {
	case 0:
	case 1: // the options' word for none
		c.MemoryBytes = new(uint64)
	default:
		c.MemoryBytes = &o.MemoryBytes
	}
	return c
}

// Choice is the implementation to use. Pick is its short form.
type Choice struct {
	Implementation impl.Spec `json:"implementation"`
	Class          string    `json:"class"` // of the implementation, see impl.Class
	// PredictedUS is the time of one call on an idle device, as two events around it see it, BusyUS what the call
	// adds to a stream in which the host is ahead of the device.
	PredictedUS float64 `json:"predicted_us"`
	BusyUS      float64 `json:"busy_us"`
	// LowUS and HighUS are the ends of the 90 % interval, nil unless calls of the device were recorded;
	// without a sample they span the intervals of all streams of the prior.
	LowUS  *float64 `json:"low_us"`
	HighUS *float64 `json:"high_us"`
	// SpeedupOverNaive is the predicted time of naive over PredictedUS, nil where the device cannot run naive.
	SpeedupOverNaive *float64 `json:"speedup_over_naive"`
	// LossBound bounds the time of the choice over that of the fastest, if every time lies in its
	// interval: the upper end of the choice over the least lower end of the others, at least 1. It is
	// nil without intervals, and for rows, where times of implementations are off together.
	LossBound *float64 `json:"loss_bound"`
}

// Floor is what any implementation takes at least, see speedup.Bundle.Floor.
type Floor struct {
	speedup.Floor
	Share float64 `json:"share"` // of the predicted time of the choice, 0 to 1
}

// Ranked is one implementation of a ranking. What Choice has too means the same.
type Ranked struct {
	Implementation impl.Spec `json:"implementation"`
	Class          string    `json:"class"`
	PredictedUS    float64   `json:"predicted_us"`
	LowUS          *float64  `json:"low_us"`
	HighUS         *float64  `json:"high_us"`
	// PreparationUS is what takes place once for Options.Calls calls, of which PredictedUS has a part: the re-layout
	// on the host, or finding the frequent targets.
	PreparationUS float64 `json:"preparation_us,omitempty"`
	// Binding is the bottleneck: the bound of the closed form that binds, of which speedup.Meaning says what it is.
	Binding     string `json:"binding"`
	MemoryBytes uint64 `json:"memory_bytes"` // on the device beside stream and targets, see impl.Spec.WorkspaceBytes
	// Launch of the main kernel; all is 0 where there are several kernels, whose grids follow from
	// the stream.
	Launch device.Shape `json:"launch"`
	// Parts are those of the time of a call that adds rows, of which some overlap; nil of others.
	Parts []speedup.Bound `json:"parts,omitempty"`
}

// Deciding is how the regression tree of a device decided.
type Deciding struct {
	Device          string `json:"device"` // name of the profile
	Leaves          int    `json:"leaves"`
	SimulatedPoints int    `json:"simulated_points"` // streams that it was trained on
	// Class is that of the choice, Overruled what the closed forms alone would choose, nil if that is it.
	Class     string             `json:"class"`
	Overruled *impl.Spec         `json:"overruled,omitempty"`
	Path      []model.Comparison `json:"path"` // from the root to the leaf
}
