package tuner

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/collision"
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
	// Calls is how often the same indices come, 0 for once; the cost of preparation is shared among them. For one
	// call, an implementation that must be told the frequent targets beforehand is never the choice.
	Calls int
	// Relaid is set where the updates arrive already re-laid, so that ss and
	// sr+ss cost no host time.
	Relaid bool
	// Deterministic is set where repeated calls must agree in every bit. Where results depend on the
	// order of updates (device.Call.OrderFree) and targets may occur more than once, it leaves only
	// the non-atomic implementations.
	Deterministic bool
	// MemoryBytes is the most device memory that may be used beside stream and targets
	// (impl.Spec.WorkspaceBytes); 0 is not a bound, 1 admits implementations that use none.
	MemoryBytes uint64
	// Padded leaves out positions of a stream whose index is collision.Inactive, as collision.Options
	// does. Statistics that are passed in carry this themselves.
	Padded bool
	// NoSort leaves out what brings the stream into another order: sort, ss and sr+ss.
	NoSort bool
	// Cautious ranks by the upper ends of the intervals, not by predicted times. Without intervals, see
	// Choice.LowUS, it is an error.
	Cautious bool
	// Launches, if any, are those to choose from: each main kernel takes the cheapest by its closed form
	// (speedup.Launches.US). A single one fixes the launch. Implementations that cannot run in any of
	// them are left out.
	Launches []device.Launch
	// SearchLaunch looks for a better launch than the default, among device.Limits.Searched; where old
	// values are needed, only with one update in flight. It does nothing where Launches are given.
	SearchLaunch bool
	// Only, if not empty, replaces the Candidates to choose from; Exclude is taken out of either.
	Only, Exclude []impl.Spec
	// Model corrects the closed forms, trained on this device profile. Nil takes the embedded
	// model of this profile; if there is none, the closed forms alone, with a warning and without intervals.
	Model *model.Model
	// Reading says how much of a stream Measure reads.
	Reading Reading
}

// Validate returns an error that wraps ErrOptions for an unknown type, operand or operation, for a
// invalid launch, and for an implementation that is unknown or named twice.
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
	for k, list := range [][]impl.Spec{o.Only, o.Exclude} {
		name := []string{"Only", "Exclude"}[k]
		for i, v := range list {
			if err := o.Call.Check(v); err != nil {
				return fmt.Errorf("%s: %v: %w", name, err, model.ErrOptions)
			}
			if slices.Contains(list[:i], v) {
				return fmt.Errorf("%s: %s is given twice: %w", name, v, model.ErrOptions)
			}
		}
	}
	r := o.Reading
	if r.First < 0 || r.First > 0 && r.First < 4 || r.Part < 0 {
		return fmt.Errorf("a first sample of %d blocks, each of one in %d; want 4 or more of one in 1 or more, "+
			"or 0: %w", r.First, r.Part, model.ErrOptions)
	}
	if r.Budget != nil {
		return r.Budget.Validate()
	}
	return collision.Options{Sample: r.Sample, Workers: r.Workers}.Validate()
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
