package recordings

import (
	"errors"
	"fmt"
)

// ErrRecording is wrapped by every error of this package about a file's
// content. Errors name file, line and value.
var ErrRecording = errors.New("broken recording")

// ErrMerge is wrapped by errors about runs that do not belong together.
var ErrMerge = errors.New("runs cannot be merged")

// ErrOptions is wrapped by errors about runs whose options differ.
var ErrOptions = errors.New("runs of other options")

func broken(name string, line int, format string, args ...any) error {
	return fmt.Errorf("%w: %s:%d: %s", ErrRecording, name, line, fmt.Sprintf(format, args...))
}
