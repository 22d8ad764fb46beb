package probe

import (
	"context"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
)

// Job is the smallest part of a run that is resumed: what it measured is kept
// as a whole or not at all.
type Job struct {
	Suite string
	Key   string // unique in the plan, the same in every run of it
	// Content is a hash of what the job reads that the key does not name, such as
	// of a file; empty for nothing.
	Content string
	// Prepare makes what needs no GPU, such as a stream, and may run beside
	// other jobs; nil for none. What it returns, Run gets.
	Prepare func() (any, error)
	// Updates are those of the stream that Prepare makes, as far as they are
	// known; they bound how many streams are in memory at once. unknownUpdates
	// lets it be alone.
	Updates int
	Run     func(ctx context.Context, g GPU, prepared any) (Result, error)
}

// Result is what a job measured.
type Result struct {
	Readings []recordings.Reading `json:"readings,omitempty"`
	Calls    []recordings.Call    `json:"calls,omitempty"`
	// Wrong says of each call that is not correct what is wrong with it.
	Wrong    []string        `json:"wrong,omitempty"`
	Stream   *StreamStats    `json:"stream,omitempty"`
	Patterns []PatternCycles `json:"patterns,omitempty"`
	// Warnings say what the job could not measure, and why.
	Warnings []string `json:"warnings,omitempty"`
}

// StreamStats is a stream with its exact statistics, warps of 32, blocks of 256.
type StreamStats struct {
	Label string          `json:"label"`
	Stats collision.Stats `json:"stats"`
}

// PatternCycles is one column of scratchpad.csv: an operation on every pattern
// of the plan, in their order.
type PatternCycles struct {
	Column  string    `json:"column"` // such as u32_add
	Cycles  []float64 `json:"cycles"` // median over the repeats
	Low     []float64 `json:"low"`
	High    []float64 `json:"high"`
	Repeats int       `json:"repeats"`
	Kernel  string    `json:"kernel"`
	// As in a Reading.
	Instruction string `json:"instruction"`
	Launch      string `json:"launch"`
	Unroll      int    `json:"unroll"`
}
