package tuner

import "github.com/atomtune/atomtune/tuner/model"

// The sentinels that errors wrap.
var (
	ErrOptions = model.ErrOptions // an option makes no sense
	ErrStats   = model.ErrStats   // statistics that no stream has
	ErrNone    = model.ErrNone    // no implementation is left to choose from
	ErrModel   = model.ErrModel   // the model is of another device
)
