package gpu

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/plan"
)

// Options say how a call is performed. The zero value chooses the implementation.
type Options struct {
	// Device performs calls on slices; nil is the first GPU, which then stays open. Calls on
	// buffers have their own.
	Device *Device
	// Implementation names the one to run, as package impl spells it: "private:r=8,pad=1".
	// Empty: it is chosen.
	Implementation string
	// Launch fixes the launch of the main kernel, BLOCKSxTHREADS or BLOCKSxTHREADSxUNROLL as
	// device.ParseLaunch reads it. Empty: it is chosen with the implementation, or by the rule of
	// device.Limits.Shape for one that is named.
	Launch string
	// Profile is that of the GPU, a name or a file as device.Load takes it, which is read once.
	// Empty: the built-in one of the GPU's name. Without any, plain atomics run.
	Profile string
	// Plans is the text of a file of package tuner/plan. A plan for just this call comes before a
	// choice; any other is passed over.
	Plans string
	// Calls is the number of calls on these indices that the choice serves: more make a larger
	// sample worth its time. 0 means 1 for a slice, and 1,000 for a buffer, whose choice is kept.
	Calls int
	// Chosen, if not nil, gets what runs.
	Chosen *Choice
}

// Choice is what runs in a call.
type Choice struct {
	Implementation impl.Spec
	Launch         device.Launch // of the main kernel; a zero field is left to the rule
	PredictedUS    float64       // of the kernels, without copies; 0 where nothing was predicted
	// Why: named, planned or predicted, or why it could not be; behind predicted, that the profile is
	// an estimate where it is one.
	Why  string
	Plan plan.Plan // to keep, see plan.Save

	tags []uint32 // of the hot targets that are known
}

func single(list []Options) (o Options, err error) {
	switch {
	case len(list) > 1:
		return o, fmt.Errorf("%w: Options are given %d times", ErrOptions, len(list))
	case len(list) == 1:
		o = list[0]
	}
	return o, o.Validate()
}

// Validate returns an error that wraps ErrOptions for an unknown name or an invalid launch.
func (o Options) Validate() error {
	if _, err := o.launch(); err != nil {
		return fmt.Errorf("%w: Launch: %w", ErrOptions, err)
	}
	if o.Implementation != "" {
		if _, err := impl.Parse(o.Implementation); err != nil {
			return fmt.Errorf("%w: Implementation: %w", ErrOptions, err)
		}
	}
	if o.Calls < 0 {
		return fmt.Errorf("%w: Calls: %d", ErrOptions, o.Calls)
	}
	return nil
}

func (o Options) tell(c *Choice) {
	if o.Chosen != nil {
		*o.Chosen = *c
	}
}

func (o Options) launch() (device.Launch, error) {
	if o.Launch == "" {
		return device.Launch{}, nil
	}
	return device.ParseLaunch(o.Launch)
}
