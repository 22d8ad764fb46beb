package h200

import "errors"

// ErrRecording is wrapped by every error of this package: a recording is not in
// its documented form. It names the file and the line.
var ErrRecording = errors.New("broken recording")
