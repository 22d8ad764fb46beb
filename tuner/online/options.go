package online

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// Options say what an Online chooses among, and how it learns. A zero
// field takes its default.
type Options struct {
	tuner.Options // but Cautious: repeated launches go by expected times
	// Epsilon is the share of the best implementation's time that may be lost for good:
	// implementations within 4/5 of it are not told apart, 1/5 pays for retrying dropped
	// ones. Default 0.05.
	Epsilon float64
	// Confidence is the probability with which Bound holds. Default 0.99.
	Confidence float64
	// Noise is the standard deviation of ln(time) between launches of one kind
	// that is taken until repeats tell it. Default 0.1.
	Noise float64
	// Widen is how many times as wide as the 90 % interval (or Unmeasured), on a logarithmic scale, the
	// range is in which an implementation's true time is taken to lie. Default 2.
	Widen float64
	// Patience is how many times the price of a trial waiting may have cost before it is
	// paid. Less finds a badly predicted best one sooner and lessens the Bound; more keeps
	// short runs closer to the model's choice. Default 256.
	Patience float64
	// Cap leaves out, for one launch, implementations whose 90 % interval begins
	// above so many times the least predicted time. Default 8.
	Cap float64
	// Keys is the largest number of keys. Default 4096.
	Keys int
}

// marginShare is the part of Epsilon within which implementations are not told apart.
const marginShare = 0.8

// complete returns the options with their defaults filled in. The error wraps
// ErrOptions.
func (o Options) complete() (Options, error) {
	for _, f := range []struct {
		name      string
		value     *float64
		otherwise float64
		low, high float64
	}{
		{"Epsilon", &o.Epsilon, 0.05, 1e-4, 1},
		{"Confidence", &o.Confidence, 0.99, 0.5, 1 - 1e-9},
		{"Noise", &o.Noise, 0.1, 1e-4, 2},
		{"Widen", &o.Widen, 2, 1, 10},
		{"Patience", &o.Patience, 256, 1, 1e3},
		{"Cap", &o.Cap, 8, 1, 1e6},
	} {
		if *f.value == 0 {
			*f.value = f.otherwise
		}
		if !(*f.value >= f.low && *f.value <= f.high) || math.IsInf(*f.value, 0) {
			return o, fmt.Errorf("%s %v is not between %v and %v: %w", f.name, *f.value, f.low, f.high,
				model.ErrOptions)
		}
	}
	if o.Cautious {
		return o, fmt.Errorf("option Cautious is for single choices; repeated launches use expected times: "+
			"%w", model.ErrOptions)
	}
	if o.Keys == 0 {
		o.Keys = 4096
	}
	if o.Keys < 0 {
		return o, fmt.Errorf("%d keys: %w", o.Keys, model.ErrOptions)
	}
	return o, nil
}

// rules are the constants of the choice.
func (o Options) rules() rules {
	return rules{
		margin: marginShare * o.Epsilon, revisit: (1 - marginShare) * o.Epsilon,
		delta: 1 - o.Confidence, patience: o.Patience, widen: o.Widen,
	}
}
