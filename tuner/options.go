package tuner

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/model"
)

// The sentinels that errors wrap.
var (
	ErrOptions = model.ErrOptions // an option makes no sense
	ErrStats   = model.ErrStats   // statistics that no stream has
	ErrNone    = model.ErrNone    // no implementation is left to choose from
	ErrModel   = model.ErrModel   // the model is of another device
)

// Options say what a choice is about. The zero value chooses among all
// candidates for 32-bit unsigned sums of loaded values. Where Call.Width is set, launches follow from it.
type Options struct {
	// Call is the kind of call: types, operation, width of rows, whether it clears the targets or returns old values.
	Call device.Call
	// Calls is how often the same indices come, 0 for once: what is prepared once is an N-th part of a call. Where
	// they come once, no implementation is the choice that must be told the frequent targets beforehand.
	Calls int
	// Relaid is set where the updates arrive already re-laid, so that ss and
	// sr+ss cost no host time.
	Relaid bool
	// Deterministic is set where repeated calls must agree in every bit. Where the order of updates
	// shows in a result (device.Call.OrderFree) and targets of the stream occur more than once, or may
	// do so, it leaves the non-atomic implementations only.
	Deterministic bool
	// MemoryBytes bounds what impl.Spec.WorkspaceBytes returns. 0 sets no bound, 1 leaves
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
	// Launches, if there are any, are those of which each main kernel has the one that its closed form
	// prices least: see speedup.Launches.US. A single one fixes what it holds. Implementations that have
	// no such launch are left out.
	Launches []device.Launch
	// SearchLaunch stands for the launches of device.Limits.Searched and the rule's, where old values are
	// needed those with one update in flight. Launches go before it.
	SearchLaunch bool
	// Only, if not empty, is the list to choose from in place of Candidates; Exclude is taken out of it.
	Only, Exclude []impl.Spec
	// Model corrects the closed forms, trained on this device profile. Nil takes the embedded
	// model for this very profile, or the closed forms alone with a warning and without intervals.
	Model *model.Model
}

// Validate returns an error that wraps ErrOptions for an unknown type, operand or operation, for a
// launch that is none, and for an implementation that is none or is named twice.
func (o Options) Validate() error {
	for _, l := range o.Launches {
		if err := l.Validate(); err != nil {
			return fmt.Errorf("%w: %w", model.ErrOptions, err)
		}
	}
	given := func(l device.Launch) bool { return l != device.Launch{} }
	switch err := o.Call.Validate(); {
	case o.Calls < 0:
		return fmt.Errorf("%d calls: %w", o.Calls, model.ErrOptions)
	case err != nil:
		return fmt.Errorf("%w: %w", model.ErrOptions, err)
	case o.Call.Wide() && slices.ContainsFunc(o.Launches, given):
		return fmt.Errorf("rows are added in a grid that follows from their width: %w", model.ErrOptions)
	}
	return cmp.Or(o.distinct("Only", o.Only), o.distinct("Exclude", o.Exclude))
}

func (o Options) distinct(name string, list []impl.Spec) error {
	for i, v := range list {
		if err := o.Call.Check(v); err != nil {
			return fmt.Errorf("%s: %v: %w", name, err, model.ErrOptions)
		}
		if slices.Contains(list[:i], v) {
			return fmt.Errorf("%s: %s stands twice: %w", name, v, model.ErrOptions)
		}
	}
	return nil
}

// Candidates returns the list to choose from, before Exclude: Only, or what device.Profile.Ranked lists.
func (o Options) Candidates(d *device.Profile) []impl.Spec {
	switch {
	case len(o.Only) > 0:
		return o.Only
	case o.Call.Wide():
		return impl.Wide()
	}
	return d.Ranked()
}

// Searches reports whether a choice searches among several launches, where the call has several.
func (o Options) Searches() bool {
	return len(o.Launches) > 1 || o.SearchLaunch && o.fixed() == device.Launch{}
}

// launches lists those of which each implementation takes the best, the zero one for the rule.
func (o Options) launches(l device.Limits) []device.Launch {
	switch {
	case o.Call.Wide():
		return nil
	case len(o.Launches) > 1:
		return o.Launches
	case !o.Searches():
		return []device.Launch{o.fixed()}
	}
	list := append([]device.Launch{{}}, l.Searched()...)
	if o.Call.Returns { // for which no kernel with several updates in flight is measured
		list = slices.DeleteFunc(list, func(l device.Launch) bool { return l.Unroll > 1 })
	}
	return list
}

// fixed is what every launch has; zero where several are searched, or the rule says.
func (o Options) fixed() (l device.Launch) {
	if len(o.Launches) == 1 {
		l = o.Launches[0]
	}
	return l
}
