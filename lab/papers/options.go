package papers

import (
	"crypto/sha256"
	"fmt"
	"math"
	"runtime"
)

// The defaults of Options: the patterns and objects are those of [gomezluna13]
// sections 3 and 4.1.1.
const (
	DefaultPatterns = 1_000_000
	DefaultObjects  = 212_340
	DefaultRepeats  = 4
)

// Options say how much is computed. The zero Options stand for the defaults.
type Options struct {
	// Patterns is the number of random access patterns per vote space; 0 for
	// DefaultPatterns. Figure 7 takes 250,000 of them at most.
	Patterns int
	Objects  int // that k-means assigns to clusters; 0 for DefaultObjects
	Repeats  int // of k-means, each with other objects; 0 for DefaultRepeats
	// Scale makes the inputs of simulated applications so many times as large; 0 for 1. The
	// statuses of rows are those of 1.
	Scale float64
	Seed  uint64 // of patterns, objects and images
	// Images replace the generated images of the histograms.
	Images []Image
	Data   string // folder of files for Paper.Data
	// Memo, where not nil, holds what of the simulations need not be repeated.
	Memo *Memo
	// Progress, where not nil, is told how much of an experiment is done. Its
	// calls do not overlap.
	Progress func(done, total float64)
	Cores    int // 0 for all that there are
}

// Validate reports options that describe no experiment. Errors wrap ErrOptions.
func (o Options) Validate() error {
	switch {
	case o.Patterns < 0 || o.Patterns > 1<<30:
		return fmt.Errorf("%w: %d patterns", ErrOptions, o.Patterns)
	case o.Objects < 0 || o.Objects > 1<<24:
		return fmt.Errorf("%w: %d objects", ErrOptions, o.Objects)
	case o.Repeats < 0 || o.Repeats > 1000:
		return fmt.Errorf("%w: %d repeats", ErrOptions, o.Repeats)
	case !(o.Scale >= 0 && o.Scale <= 256):
		return fmt.Errorf("%w: inputs %v times as large", ErrOptions, o.Scale)
	case o.Cores < 0:
		return fmt.Errorf("%w: %d cores", ErrOptions, o.Cores)
	}
	for _, image := range o.Images {
		if err := image.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// Fingerprint is a hash of what the numbers of complete options depend on.
func (o Options) Fingerprint() []byte {
	sum := sha256.New()
	fmt.Fprintln(sum, o.Patterns, o.Objects, o.Repeats, o.Scale, o.Seed, len(o.Images))
	for _, image := range o.Images {
		fmt.Fprintf(sum, "%q %d %d\n", image.Name, image.Levels, image.Pixels)
	}
	return sum.Sum(nil)[:8]
}

// Judges reports whether what holds with complete options decides about the statuses of rows:
// with inputs of another size, or images of the user's own, it does not.
func (o Options) Judges() bool { return o.Scale == 1 && len(o.Images) == 0 }

// Scaled is n times the Scale of complete options, rounded, and at least 1.
func (o Options) Scaled(n int) int { return max(1, int(math.Round(float64(n)*o.Scale))) }

// Phase returns the options of a part of an experiment. Its tasks come after so many others, and
// all parts together have total tasks.
func (o Options) Phase(before, total int) Options {
	tell := o.Progress
	o.Progress = func(done, _ float64) { tell(float64(before)+done, float64(total)) }
	return o
}

// Complete returns the options with their defaults.
func (o Options) Complete() (Options, error) {
	if err := o.Validate(); err != nil {
		return Options{}, err
	}
	if o.Patterns == 0 {
		o.Patterns = DefaultPatterns
	}
	if o.Objects == 0 {
		o.Objects = DefaultObjects
	}
	if o.Repeats == 0 {
		o.Repeats = DefaultRepeats
	}
	if o.Scale == 0 {
		o.Scale = 1
	}
	if o.Cores == 0 {
		o.Cores = runtime.GOMAXPROCS(0)
	}
	if o.Progress == nil {
		o.Progress = func(float64, float64) {}
	}
	return o, nil
}
