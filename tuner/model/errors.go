package model

import (
	"errors"

	"github.com/atomtune/atomtune/collision"
)

// The sentinels that errors wrap.
var (
	// ErrOptions reports an option that makes no sense.
	ErrOptions = errors.New("bad options")
	// ErrStats reports statistics that no stream has.
	ErrStats = collision.ErrStats
	// ErrNone reports that no implementation is left to choose from.
	ErrNone = errors.New("no implementation can run")
	// ErrModel reports a model that is unreadable or was trained for another
	// device.
	ErrModel = errors.New("unusable model")
	// ErrNoModel reports that no model is embedded for a device.
	ErrNoModel = errors.New("no embedded model")
	// ErrSweep reports parameters of a training sweep that make no sense.
	ErrSweep = errors.New("bad sweep")
	// ErrRows reports training rows that are missing, repeated or too few.
	ErrRows = errors.New("unusable training rows")
)
