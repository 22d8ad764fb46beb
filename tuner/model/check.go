package model

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
)

// MaxLogFactor bounds the corrections that a model may make, in ln of the
// factor, so that every product with a time stays finite.
const MaxLogFactor = 50

// errFeatures reports a model of other features than today's.
var errFeatures = errors.New("its features are from another version")

// invalid returns an error that wraps ErrModel.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrModel}, args...)...)
}

// fault returns an error where something is wrong.
func fault(wrong bool, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// Validate returns an error that wraps ErrModel and names what no training gives.
func (m *Model) Validate() error {
	if m.Tree == nil {
		return invalid("it has no tree")
	}
	err := cmp.Or(
		fault(!isHash(m.ProfileHash), "profile_hash %q is not a SHA-256", m.ProfileHash),
		fault(m.Device == "", "it names no device"),
		m.checkSweep(), m.checkFeatures(), m.Tree.check(), m.Evaluation.validate(), m.Intervals.check(),
	)
	if err != nil {
		return invalid("%w", err)
	}
	return nil
}

func isHash(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == 32
}

// checkSweep checks of what points the model was simulated.
func (m *Model) checkSweep() error {
	if m.Intervals != nil && m.Simulations == 0 && m.Sweep == (Sweep{}) && len(m.Tree.Leaves) == 1 {
		return nil // it holds intervals alone
	}
	return cmp.Or(m.Sweep.Validate(),
		fault(m.Simulations < m.Sweep.Points, "%d simulations of a sweep of %d points", m.Simulations,
			m.Sweep.Points))
}

func (m *Model) checkFeatures() error {
	names := make([]string, len(m.Features))
	for i, r := range m.Features {
		names[i] = r.Name
		if !finite(r.Min) || !finite(r.Max) || r.Min > r.Max {
			return fmt.Errorf("feature %s ranges from %v to %v", r.Name, r.Min, r.Max)
		}
	}
	return fault(!slices.Equal(names, FeatureNames[:]), "%w: %d features, %q",
		errFeatures, len(names), names)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

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
