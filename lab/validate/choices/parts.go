package choices

import (
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// recordedPart is a part of the recorded streams that is judged by itself.
type recordedPart struct {
	name     string
	enforced bool // its figures have limits
	worst    worstChoicesShown
	takes    func(q *recorded.Question) bool
}

// worstChoicesShown says when a part lists its worst choices.
type worstChoicesShown int

const (
	never worstChoicesShown = iota
	onDemand
	always
)

// The parts: heldOutPart is what the limits are about, freshPart that of it on
// which nothing was shaped, and shapingPart, of both halves, validates nothing.
// secondPart is the second validation set: no constant was fitted to its calls, but its
// limits were read while closed forms were changed.
const (
	heldOutPart = "held-out"
	freshPart   = "held-out, synthetic"
	fitPart     = "fit"
	shapingPart = "shaping"
	secondPart  = "second validation set"
)

// secondSetPart is judged by itself, on SecondQuestions.
func secondSetPart() recordedPart {
	return recordedPart{secondPart, true, never, func(q *recorded.Question) bool { return q.Part == recorded.SecondSet }}
}

func recordedParts() []recordedPart {
	of := func(part recordings.Part, takes func(label string) bool) func(*recorded.Question) bool {
		return func(q *recorded.Question) bool { return q.Part == part && takes(q.Label) }
	}
	every := func(string) bool { return true }
	fresh := func(label string) bool { return !recorded.Shaped(label) }
	return []recordedPart{
		{heldOutPart, true, onDemand, of(recordings.HeldOut, every)},
		{freshPart, true, never, of(recordings.HeldOut, fresh)},
		{"held-out, files", false, never, of(recordings.HeldOut, recorded.IsFile)},
		{fitPart, false, always, of(recordings.Fit, every)},
		{"fit, synthetic", false, never, of(recordings.Fit, fresh)},
		{"fit, files", false, never, of(recordings.Fit, recorded.IsFile)},
		{shapingPart, false, never, func(q *recorded.Question) bool { return recorded.Shaped(q.Label) }},
	}
}
