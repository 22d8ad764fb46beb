// Package job is the smallest part of a run and what it measured.
package job

import (
	"context"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
)

// Job is the smallest part of a run that is resumed: what it measured is kept
// as a whole or not at all.
type Job struct {
	Suite string
	Key   string // unique in the plan, the same in every run of it
	// Content is a hash of what the job reads that the key does not name, such as a file.
	Content string
	// Prepare makes what needs no GPU, such as a stream, and may run beside
	// other jobs; nil for none. What it returns, Run gets.
	Prepare func() (any, error)
	Updates int // of the stream that Prepare makes: they bound what is in memory at once
	Run     func(ctx context.Context, g driver.GPU, prepared any) (Result, error)
}

// UnknownUpdates are counted for a file whose length nobody knows yet. It is alone.
const UnknownUpdates = 1 << 26

// Name distinguishes a job from every other of a plan.
func (j *Job) Name() string { return j.Suite + "/" + j.Key }

// Result is what a job measured.
type Result struct {
	Readings []recordings.Reading `json:"readings,omitempty"`
	Calls    []recordings.Call    `json:"calls,omitempty"`
	// Wrong says of each call that is not correct what is wrong with it.
	Wrong  []string `json:"wrong,omitempty"`
	Stream *Stream  `json:"stream,omitempty"`
	// Patterns are columns of scratchpad.csv: an operation on every pattern of the plan.
	Patterns []recordings.ScratchpadColumn `json:"patterns,omitempty"`
	// Warnings say what the job could not measure, and why.
	Warnings []string `json:"warnings,omitempty"`
}

// Stream is a stream with its exact statistics, warps of 32, blocks of 256.
type Stream struct {
	Label string          `json:"label"`
	Stats collision.Stats `json:"stats"`
}
