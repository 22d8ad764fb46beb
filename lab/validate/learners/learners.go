// Package learners compares learners with the model's trees on finished sweeps and on
// recorded calls.
package learners

import (
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// A Learner predicts times from simulated ones. Fit returns what it learnt of a
// training's samples.
type Learner struct {
	Name string
	// Timeless says that its scores are no times.
	Timeless bool
	// Subset says that it is slow, and is fitted on a drawn part of the samples.
	Subset bool
	Fit    func(ctx context.Context, t *training.Training, seed uint64) (Scores, error)
}

// Scores returns, for each variant that was simulated on a sample, ln of its time
// in microseconds, or of what else is least for the best.
type Scores func(s *training.Sample) []float64

// The judges of a LearnerRow. What a sweep has screened out cannot be chosen, so
// that JudgeFamilies flatters whom the closed forms do not help; JudgeWhole are
// those of its samples of which whatever can run was simulated.
const (
	JudgeFamilies = "simulated, families held out"
	JudgeWhole    = "simulated, families held out, nothing screened"
	JudgeFit      = "recorded, fit half"
	JudgeHeldOut  = "recorded, held-out half"
)

// A LearnerRow is how one learner fared before one judge.
type LearnerRow struct {
	Device  string     `json:"device"`
	Learner string     `json:"learner"`
	Judge   string     `json:"judge"`
	Samples int        `json:"samples"` // that each fit could see, in the mean
	Loss    model.Loss `json:"loss"`    // time of the choice over the best time
	// Error is nil for a learner without times.
	Error *LogError `json:"ln_error"`
}

// LogError holds the root mean square and the 90 % quantile of the magnitude of
// ln(predicted/actual) over all implementations.
type LogError struct {
	RMSE float64 `json:"rmse"`
	P90  float64 `json:"p90"`
}

// LearnerOptions say what CompareLearners compares.
type LearnerOptions struct {
	Learners []Learner // nil means Learners()
	Families []string  // held out in turn; nil means all
	// Samples is the number of samples that are compared on at most, in whole
	// lines: those first of which everything was simulated, then others, in an
	// order drawn by Seed; 0 means 1,500.
	Samples int
	// Most is the number of them on which a slow learner is fitted; 0 means 600.
	Most int
	Seed uint64
	// Recorded judges on the recorded calls of these parts too, for the device
	// on which they were recorded.
	Recorded []recordings.Part
	// Progress, if not nil, is told how many of the fits are done.
	Progress func(done, total int)
	done     int
}

const defaultSamples, defaultMost = 1500, 600

// CompareLearners fits each learner on the rows of a sweep without one family of
// streams, lets it choose on the family, and sums up over the families; then on
// all rows, and lets it choose on recorded calls. Choices are among what was
// simulated, or recorded.
func CompareLearners(ctx context.Context, d *device.Profile, s model.Sweep, rows []training.Row, o LearnerOptions) ([]LearnerRow, error) {
	t, err := training.Prepare(d, s, rows)
	if err != nil {
		return nil, fmt.Errorf("compare learners: %w", err)
	}
	if t, err = o.complete(t); err != nil {
		return nil, fmt.Errorf("compare learners: %w", err)
	}
	var list, whole []LearnerRow
	for _, l := range o.Learners {
		rows, err := o.familyOut(ctx, t, l)
		if err != nil {
			return nil, fmt.Errorf("compare learners: %s: %w", l.Name, err)
		}
		list, whole = append(list, rows[0]), append(whole, rows[1:]...)
	}
	list = append(list, whole...)
	if len(o.Recorded) > 0 {
		recorded, err := o.recorded(ctx, t, d)
		if err != nil {
			return nil, fmt.Errorf("compare learners: %w", err)
		}
		list = append(list, recorded...)
	}
	for i := range list {
		list[i].Device = d.Name
	}
	return list, nil
}

// complete fills in what zero stands for, and returns the samples to compare on.
func (o *LearnerOptions) complete(t *training.Training) (*training.Training, error) {
	if o.Samples == 0 {
		o.Samples = defaultSamples
	}
	if o.Most == 0 {
		o.Most = defaultMost
	}
	if o.Learners == nil {
		o.Learners = Learners()
	}
	if o.Families == nil {
		o.Families = t.Families
	}
	for _, f := range o.Families {
		if !slices.Contains(t.Families, f) {
			return nil, fmt.Errorf("no rows of family %q", f)
		}
	}
	return t.Part(o.wholeLines(t.Samples)), nil
}

// tell counts a fit as done.
func (o *LearnerOptions) tell() {
	o.done++
	if o.Progress == nil {
		return
	}
	total := len(o.Learners) * len(o.Families)
	if len(o.Recorded) > 0 {
		total += len(o.Learners)
	}
	o.Progress(o.done, total)
}

// familyOut judges a learner on families that it has not seen: on all samples,
// and where some were screened on those apart that were not.
func (o *LearnerOptions) familyOut(ctx context.Context, t *training.Training, l Learner) ([]LearnerRow, error) {
	var v, whole verdict
	seen := 0
	for _, family := range o.Families {
		var rest, own []int
		for i := range t.Samples {
			if t.Samples[i].Family == family {
				own = append(own, i)
			} else {
				rest = append(rest, i)
			}
		}
		rest = o.drawn(l, rest)
		seen += len(rest)
		scores, err := l.Fit(ctx, t.Part(rest), o.Seed)
		if err != nil {
			return nil, fmt.Errorf("without %s: %w", family, err)
		}
		for _, i := range own {
			v.add(&t.Samples[i], scores)
			if t.Samples[i].Complete {
				whole.add(&t.Samples[i], scores)
			}
		}
		o.tell()
	}
	rows := []LearnerRow{v.row(l, JudgeFamilies, seen/len(o.Families))}
	if n := len(whole.ratios); n > 0 && n < len(v.ratios) {
		rows = append(rows, whole.row(l, JudgeWhole, seen/len(o.Families)))
	}
	return rows, nil
}

// recorded judges the learners on the parts of the recordings.
func (o *LearnerOptions) recorded(ctx context.Context, t *training.Training, d *device.Profile) ([]LearnerRow, error) {
	judged := make([][]training.Sample, len(o.Recorded))
	var err error
	for i, part := range o.Recorded {
		if judged[i], err = recordedSamples(t, d, part); err != nil {
			return nil, err
		}
	}
	all := make([]int, len(t.Samples))
	for i := range all {
		all[i] = i
	}
	list := make([]LearnerRow, 0, len(o.Recorded)*len(o.Learners))
	byPart := make([][]LearnerRow, len(o.Recorded))
	for _, l := range o.Learners {
		rest := o.drawn(l, all)
		scores, err := l.Fit(ctx, t.Part(rest), o.Seed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
		for i, part := range o.Recorded {
			var v verdict
			for j := range judged[i] {
				v.add(&judged[i][j], scores)
			}
			byPart[i] = append(byPart[i], v.row(l, judgeOf(part), len(rest)))
		}
		o.tell()
	}
	for _, rows := range byPart {
		list = append(list, rows...)
	}
	return list, nil
}

func judgeOf(part recordings.Part) string {
	if part == recordings.Fit {
		return JudgeFit
	}
	return JudgeHeldOut
}
