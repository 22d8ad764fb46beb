package training

import "errors"

// The sentinels that errors of training wrap, beside those of package model.
var (
	// ErrJournal reports a journal that is unreadable or of another sweep.
	ErrJournal = errors.New("unusable journal")
	// ErrSimulator reports a simulation that failed or gave no time.
	ErrSimulator = errors.New("simulation failed")
)
