package tables

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// A Document is a set of tables with the streams that they stand for. Times, levels and speedups
// are rounded to four significant digits, margins to four decimals.
type Document struct {
	Updates int            `json:"updates"` // of each stream
	Value   device.Operand `json:"value"`
	Width   uint64         `json:"width,omitempty"` // of the rows that updates add
	Targets []uint64       `json:"targets"`         // of the rows of tables
	Columns []Column       `json:"columns"`
	Streams []Stream       `json:"streams"`
	Tables  []Table        `json:"tables"`
}

// A Table holds the recommendations for a device and a type.
type Table struct {
	Device string      `json:"device"`
	Title  string      `json:"title"`
	Type   device.Type `json:"type"`
	// Rows holds a row for each of Document.Targets, a cell for each of Document.Columns: nil where
	// so few targets collide more than the column's level says, or where nothing can run.
	Rows       [][]*Cell   `json:"rows"`
	BreakEvens []BreakEven `json:"break_evens"` // by column, then by targets
	// InWords says of each of Document.Columns what its break-even points are.
	InWords []string `json:"in_words"`
	// Warnings are those that tuner.Choose gives for every cell; empty, not nil, if there are none.
	Warnings []string `json:"warnings"`
}

// A Cell is the recommendation for a stream.
type Cell struct {
	Stream         int       `json:"stream"` // place among Document.Streams
	Implementation impl.Spec `json:"implementation"`
	PredictedUS    float64   `json:"predicted_us"`
	// SpeedupOverNaive is the time of naive over PredictedUS, nil where naive cannot run.
	SpeedupOverNaive *float64 `json:"speedup_over_naive"`
	// Second is the next of the ranking, Rival the first of another kind: how far it stays behind
	// is what a wrong choice of the kind costs. Nil if there is none.
	Second *Behind `json:"second"`
	Rival  *Behind `json:"rival"`
}

// Behind is an implementation that is not the choice.
type Behind struct {
	Implementation impl.Spec `json:"implementation"`
	// Margin is its predicted time over that of the choice, less 1.
	Margin float64 `json:"margin"`
}

// A BreakEven is where the choice changes its kind along a column, known to 5 % or to one target.
type BreakEven struct {
	Column int  `json:"column"` // place among Document.Columns
	Last   Side `json:"last"`   // the most targets with the one kind
	First  Side `json:"first"`  // the fewest with the other
}

// A Side is the choice at one side of a break-even point.
type Side struct {
	Stream         int       `json:"stream"` // place among Document.Streams
	Targets        uint64    `json:"targets"`
	Implementation impl.Spec `json:"implementation"`
	// Margin is the predicted time of the best implementation of the other side's kind over that of
	// the choice, less 1: how narrow the change is. Nil where none of that kind can run here.
	Margin *float64 `json:"margin"`
}
