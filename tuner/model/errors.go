package model

import (
	"errors"

	"github.com/atomtune/atomtune/collision"
)

// The sentinels that errors wrap.
var (
	ErrOptions = errors.New("bad options")               // an option that makes no sense
	ErrStats   = collision.ErrStats                      // statistics that no stream has
	ErrNone    = errors.New("no implementation can run") // none is left to choose from
	ErrModel   = errors.New("unusable model")            // unreadable, or of another device
	ErrNoModel = errors.New("no embedded model")         // for a device
	ErrSweep   = errors.New("bad sweep")                 // parameters that make no sense
	ErrRows    = errors.New("unusable training rows")    // missing, repeated or too few
)
