package recorded

import (
	"sync"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
)

// Calls returns the recorded calls of a part, read once; nobody changes
// them.
func Calls(part recordings.Part) ([]recordings.Call, error) {
	switch part {
	case recordings.Fit:
		return fitCalls()
	case recordings.HeldOut:
		return heldOutCalls()
	}
	return h200.Calls(part)
}

var (
	fitCalls     = sync.OnceValues(func() ([]recordings.Call, error) { return h200.Calls(recordings.Fit) })
	heldOutCalls = sync.OnceValues(func() ([]recordings.Call, error) { return h200.Calls(recordings.HeldOut) })
)

// Streams are the statistics of the recorded streams by label, read once;
// nobody changes them.
var Streams = sync.OnceValues(h200.Streams)
