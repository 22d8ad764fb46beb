package tables

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// ErrOptions is wrapped by the errors of options that no table can have.
var ErrOptions = errors.New("tables: invalid option")

// The bounds and the default of Options.Updates.
const (
	MinUpdates     = 1 << 10
	MaxUpdates     = 1 << 26
	DefaultUpdates = 1 << 20
)

// Documented lists the built-in devices whose tables the project holds.
func Documented() []string { return []string{"h200", "c2075", "gtx680", "h100"} }

// Options say which tables are made.
type Options struct {
	Devices []*device.Profile // at least one, each name once
	// Types are those of the targets; empty means all that each device can run.
	Types   []device.Type
	Operand device.Operand // what each update adds
	Width   uint64         // of the rows that updates add; 0: they add single values
	// Updates is the length of the streams, MinUpdates to MaxUpdates; 0 means DefaultUpdates.
	Updates int
	// Model corrects the closed forms of the only device; nil means the embedded models.
	Model *model.Model
	// Progress, if not nil, is told how much of the work is done. Calls come one at a time.
	Progress func(done, total int)
}

// Validate reports the first option that lies outside its range. The error wraps ErrOptions.
func (o Options) Validate() error {
	if len(o.Devices) == 0 {
		return fmt.Errorf("%w: no device", ErrOptions)
	}
	for i, d := range o.Devices {
		same := func(p *device.Profile) bool { return p.Name == d.Name }
		if slices.ContainsFunc(o.Devices[:i], same) {
			return fmt.Errorf("%w: device %s is given twice", ErrOptions, d.Name)
		}
		if d.Name == "readme" { // the same file where case does not count
			return fmt.Errorf("%w: device readme: README.md is the file about all tables, so give it another name",
				ErrOptions)
		}
	}
	for i, t := range o.Types {
		if slices.Contains(o.Types[:i], t) {
			return fmt.Errorf("%w: type %s is given twice", ErrOptions, t)
		}
		if err := (tuner.Options{Call: o.call(t)}).Validate(); err != nil {
			return fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	if n := o.updates(); n < MinUpdates || n > MaxUpdates {
		return fmt.Errorf("%w: %d updates are not within %d to %d", ErrOptions, n, MinUpdates, MaxUpdates)
	}
	if o.Model != nil && len(o.Devices) > 1 {
		return fmt.Errorf("%w: a model is of one device, and %d are given", ErrOptions, len(o.Devices))
	}
	return nil
}

// call is what is recommended for.
func (o Options) call(t device.Type) device.Call {
	return device.Call{Type: t, Operand: o.Operand, Width: o.Width}
}

func (o Options) updates() int { return cmp.Or(o.Updates, DefaultUpdates) }
