package probe

import "errors"

var (
	// ErrStream reports an index stream that cannot be measured.
	ErrStream = errors.New("no stream to measure")
	// ErrCompanion reports that the program that measures sort and segreduce
	// is not there, failed, or measures another GPU.
	ErrCompanion = errors.New("companion program")
	// ErrShape reports a kernel of which no block fits an SM.
	ErrShape = errors.New("kernel does not fit")
	// ErrClock reports times from which no rate follows.
	ErrClock = errors.New("times make no sense")
)
