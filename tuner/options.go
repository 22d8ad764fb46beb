package tuner

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// The sentinels that errors wrap.
var (
	ErrOptions = model.ErrOptions // an option makes no sense
	ErrStats   = model.ErrStats   // statistics that no stream has
	ErrNone    = model.ErrNone    // no implementation is left to choose from
	ErrModel   = model.ErrModel   // the model is of another device
)

// Options say what a choice is about. The zero value chooses among all
// candidates for 32-bit unsigned sums of loaded values.
type Options struct {
	Call device.Call
	// Relaid is set where the updates arrive already re-laid, so that ss and
	// sr+ss cost no host time.
	Relaid bool
	// Deterministic is set where repeated calls must agree in every bit. Where the order of updates
	// shows in a result (device.Call.OrderFree) and targets of the stream occur more than once, or may
	// do so, it leaves the non-atomic implementations only.
	Deterministic bool
	// MemoryBytes bounds what variant.Variant.WorkspaceBytes returns. 0 sets no bound, 1 leaves
	// the implementations that take none.
	MemoryBytes uint64
	// Padded says that the index collision.Inactive of a stream is no update: see collision.Options.
	// Statistics that are handed in say so themselves.
	Padded bool
	// NoSort leaves out what brings the stream into another order: sort, ss and sr+ss.
	NoSort bool
	// Cautious chooses the implementation whose interval ends lowest, and ranks by these upper ends, in
	// place of the predicted times. It is refused where times have no intervals: see Choice.LowUS.
	Cautious bool
	// Launch fixes what it holds of the launch of each main kernel: device.Launch. It leaves out the
	// implementations that have no such launch.
	Launch device.Launch
	// SearchLaunch gives each implementation the launch, of device.Limits.Searched and the rule's,
	// where old values are needed those with one update in flight, that its closed form prices
	// least: see speedup.Launches.US.
	SearchLaunch bool
	// Among, if not empty, is what SearchLaunch searches in place of these launches.
	Among []device.Launch
	// Only, if not empty, is the list to choose from in place of Candidates. Exclude is taken out of the list.
	Only, Exclude []variant.Variant
	// Model corrects the closed forms, trained on this device profile. Nil takes the embedded
	// model for this very profile, or the closed forms alone with a warning and without intervals.
	Model *model.Model
}

// Validate returns an error that wraps ErrOptions for an unknown type, operand or operation, for a
// launch that is none or is searched as well, for launches to search among without a search, and
// for an implementation that is none or is named twice.
func (o Options) Validate() error {
	if err := o.Launch.Validate(); err != nil {
		return fmt.Errorf("%w: %w", model.ErrOptions, err)
	}
	for _, l := range o.Among {
		if err := l.Validate(); err != nil {
			return fmt.Errorf("%w: %w", model.ErrOptions, err)
		}
	}
	switch err := o.Call.Validate(); {
	case len(o.Among) > 0 && !o.SearchLaunch:
		return fmt.Errorf("launches to search among, and no search: %w", model.ErrOptions)
	case o.SearchLaunch && o.Launch != device.Launch{}:
		return fmt.Errorf("a search among launches beside launch %v: %w", o.Launch, model.ErrOptions)
	case o.Call.Type > device.F64:
		return fmt.Errorf("type %d: %w", uint8(o.Call.Type), model.ErrOptions)
	case o.Call.Operand > device.One:
		return fmt.Errorf("operand %d: %w", uint8(o.Call.Operand), model.ErrOptions)
	case err != nil:
		return fmt.Errorf("%w: %w", model.ErrOptions, err)
	}
	return cmp.Or(distinct("Only", o.Only), distinct("Exclude", o.Exclude))
}

func distinct(name string, list []variant.Variant) error {
	for i, v := range list {
		if err := v.Validate(); err != nil {
			return fmt.Errorf("%s: %v: %w", name, err, model.ErrOptions)
		}
		if slices.Contains(list[:i], v) {
			return fmt.Errorf("%s: %s stands twice: %w", name, v, model.ErrOptions)
		}
	}
	return nil
}

// admits returns the reason for which the options rule an implementation out, nil if they do not.
func (o Options) admits(v variant.Variant) error {
	switch {
	case slices.Contains(o.Exclude, v):
		return &refusal{v, "excluded"}
	case o.NoSort && v.Reorders():
		return &refusal{v, "re-orders the stream"}
	}
	return nil
}

// Candidates returns the list to choose from, before Exclude: Only, or what model.Ranked lists.
func (o Options) Candidates(d *device.Profile) []variant.Variant {
	if len(o.Only) > 0 {
		return o.Only
	}
	return model.Ranked(d)
}

// launches lists those of which each implementation takes the best; none stands for the rule.
func (o Options) launches(l device.Limits) []device.Launch {
	switch {
	case len(o.Among) > 0:
		return o.Among
	case o.SearchLaunch:
		list := append([]device.Launch{{}}, l.Searched()...)
		if o.Call.Returns { // for which no kernel with several updates in flight is measured
			list = slices.DeleteFunc(list, func(l device.Launch) bool { return l.Unroll > 1 })
		}
		return list
	case o.Launch != device.Launch{}:
		return []device.Launch{o.Launch}
	}
	return nil
}
