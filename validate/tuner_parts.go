package validate

import "github.com/atomtune/atomtune/datasets/recordings"

// recordedPart is a part of the recorded streams that is judged by itself.
type recordedPart struct {
	name     string
	enforced bool // its figures have limits
	worst    worstChoicesShown
	takes    func(q *Question) bool
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
// secondPart is the blind set, which judges what was final, all but, when it was read.
const (
	heldOutPart = "held-out"
	freshPart   = "held-out, synthetic"
	fitPart     = "fit"
	shapingPart = "shaping"
	secondPart  = "blind"
)

// secondSetPart is judged by itself, on SecondQuestions.
func secondSetPart() recordedPart {
	return recordedPart{secondPart, true, never, func(q *Question) bool { return q.part == SecondSet }}
}

func recordedParts() []recordedPart {
	of := func(part recordings.Part, takes func(label string) bool) func(*Question) bool {
		return func(q *Question) bool { return q.part == part && takes(q.label) }
	}
	every := func(string) bool { return true }
	fresh := func(label string) bool { return !Shaped(label) }
	return []recordedPart{
		{heldOutPart, true, onDemand, of(recordings.HeldOut, every)},
		{freshPart, true, never, of(recordings.HeldOut, fresh)},
		{"held-out, files", false, never, of(recordings.HeldOut, IsFile)},
		{fitPart, false, always, of(recordings.Fit, every)},
		{"fit, synthetic", false, never, of(recordings.Fit, fresh)},
		{"fit, files", false, never, of(recordings.Fit, IsFile)},
		{shapingPart, false, never, func(q *Question) bool { return Shaped(q.label) }},
	}
}
