package tuner

import "errors"

var (
	// ErrObservation reports a time that no launch takes, or of a launch that
	// was not chosen by this Online, was forgotten, or was observed already.
	ErrObservation = errors.New("bad observation")
	// ErrState reports a saved state that is unreadable or belongs to other
	// predictions.
	ErrState = errors.New("unusable state of an online tuner")
)
