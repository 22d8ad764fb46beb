// Package learners compares learners with the model's trees on finished sweeps and on
// recorded calls.
//
// A new learner to compare with is a file here. "script/regenerate learners" makes the table anew,
// which takes long; after it, "script/regenerate choices" renews what doc/results/RESULTS.md shows.
package learners

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/fit"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// A Learner predicts times from simulated ones. Fit returns what it learnt of a
// training's samples.
type Learner struct {
	Name     string
	Timeless bool // its scores are no times
	Subset   bool // it is slow, and is fitted on a drawn part of the samples
	Fit      func(ctx context.Context, t *training.Training, seed uint64) (Scores, error)
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
	Samples int        `json:"samples"`  // that each fit could see, in the mean
	Loss    model.Loss `json:"loss"`     // time of the choice over the best time
	Error   *LogError  `json:"ln_error"` // nil for a learner without times
}

// LogError holds the root mean square and the 90 % quantile of the magnitude of
// ln(predicted/actual) over all implementations.
type LogError struct {
	RMSE float64 `json:"rmse"`
	P90  float64 `json:"p90"`
}

// DeviceRows are the rows of the sweep in a journal.
type DeviceRows struct {
	Journal string       `json:"journal"`
	Rows    []LearnerRow `json:"rows"`
}

// MakeLearners compares learners on the finished sweeps of the journals, device
// by device, those of the H200 on its recorded calls too, and returns the rows
// with the fingerprint of their table. It takes long. progress is told how many of each device's fits
// are done; keep is given the rows of each device, of which those in known are not made again. Errors
// wrap ErrValidate.
func MakeLearners(
	ctx context.Context, progress func(done, total int), known []DeviceRows, keep func(DeviceRows) error,
	journals ...string,
) (fingerprint string, rows []LearnerRow, err error) {
	defer validate.Wrap(&err)
	if fingerprint, err = LearnersFingerprint(journals...); err != nil {
		return "", nil, err
	}
	for _, path := range journals {
		at := slices.IndexFunc(known, func(k DeviceRows) bool { return k.Journal == path })
		if at >= 0 {
			rows = append(rows, known[at].Rows...)
			continue
		}
		gpu, j, err := ReadSweep(path)
		if err != nil {
			return "", nil, err
		}
		o := usual(gpu)
		o.progress = progress
		own, err := o.compare(ctx, gpu, j.Header.Sweep, j.Rows)
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", path, err)
		}
		if err := keep(DeviceRows{path, own}); err != nil {
			return "", nil, err
		}
		rows = append(rows, own...)
	}
	return fingerprint, rows, nil
}

// ReadSweep reads a journal that was made with the built-in profile of its
// device.
func ReadSweep(path string) (*device.Profile, training.Journal, error) {
	j, err := training.ReadJournal(path)
	if err != nil {
		return nil, j, err
	}
	gpu, err := device.Builtin(j.Header.Device)
	if err != nil {
		return nil, j, fmt.Errorf("%s: %w", path, err)
	}
	if hash := model.ProfileHash(gpu); hash != j.Header.ProfileHash {
		return nil, j, fmt.Errorf("%s: made with another profile of %s: %s, the built-in one is %s",
			path, j.Header.Device, j.Header.ProfileHash, hash)
	}
	return gpu, j, nil
}

// comparison says what is compared.
type comparison struct {
	learners []Learner
	families []string // held out in turn; nil means all
	// samples is the number of samples that are compared on at most, in whole
	// lines: those first of which everything was simulated, then others, in an
	// order drawn by seed.
	samples  int
	most     int // of them for a slow learner
	seed     uint64
	recorded []recordings.Part // recorded calls to be judged by too
	progress func(done, total int)
	done     int
}

// usual is the comparison of all learners on a device.
func usual(d *device.Profile) comparison {
	o := comparison{learners: Learners(), samples: 1500, most: 600, progress: func(int, int) {}}
	if recorded.Archive(d.Name) != nil {
		o.recorded = []recordings.Part{recordings.Fit, recordings.HeldOut}
	}
	return o
}

// compare fits each learner on the rows of a sweep without one family of
// streams, lets it choose on the family, and sums up over the families; then on
// all rows, and lets it choose on recorded calls. Choices are among what was
// simulated, or recorded.
func (o comparison) compare(
	ctx context.Context, d *device.Profile, s model.Sweep, rows []training.Row,
) (list []LearnerRow, err error) {
	t, err := training.Prepare(d, s, rows)
	if err != nil {
		return nil, err
	}
	if o.families == nil {
		o.families = t.Families
	}
	t = part(t, o.wholeLines(t.Samples))
	var whole, recordings []LearnerRow
	for _, l := range o.learners {
		rows, err := o.familyOut(ctx, t, l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
		list, whole = append(list, rows[0]), append(whole, rows[1:]...)
	}
	if len(o.recorded) > 0 {
		if recordings, err = o.judgeRecorded(ctx, t, d); err != nil {
			return nil, err
		}
	}
	list = slices.Concat(list, whole, recordings)
	for i := range list {
		list[i].Device = d.Name
	}
	return list, nil
}

// part returns the training of some of the samples.
func part(t *training.Training, numbers []int) *training.Training {
	samples := make([]training.Sample, len(numbers))
	for j, i := range numbers {
		samples[j] = t.Samples[i]
	}
	return t.With(samples)
}

// fit lets a learner learn from samples, and returns of how many.
func (o *comparison) fit(
	ctx context.Context, t *training.Training, l Learner, samples []int,
) (Scores, int, error) {
	samples = o.drawn(l, samples)
	scores, err := l.Fit(ctx, part(t, samples), o.seed)
	o.done++
	total := len(o.learners) * len(o.families)
	if len(o.recorded) > 0 {
		total += len(o.learners)
	}
	o.progress(o.done, total)
	return scores, len(samples), err
}

// familyOut judges a learner on families that it has not seen: on all samples,
// and where some were screened on those apart that were not.
func (o *comparison) familyOut(
	ctx context.Context, t *training.Training, l Learner,
) ([]LearnerRow, error) {
	var v, whole verdict
	seen := 0
	for _, family := range o.families {
		var rest, own []int
		for i := range t.Samples {
			if t.Samples[i].Family == family {
				own = append(own, i)
			} else {
				rest = append(rest, i)
			}
		}
		scores, n, err := o.fit(ctx, t, l, rest)
		if err != nil {
			return nil, fmt.Errorf("without %s: %w", family, err)
		}
		seen += n
		for _, i := range own {
			v.add(&t.Samples[i], scores)
			if t.Samples[i].Complete {
				whole.add(&t.Samples[i], scores)
			}
		}
	}
	seen /= len(o.families)
	rows := []LearnerRow{v.row(l, JudgeFamilies, seen)}
	if n := len(whole.ratios); n > 0 && n < len(v.ratios) {
		rows = append(rows, whole.row(l, JudgeWhole, seen))
	}
	return rows, nil
}

// judgeRecorded judges the learners on the parts of the recordings.
func (o *comparison) judgeRecorded(
	ctx context.Context, t *training.Training, d *device.Profile,
) ([]LearnerRow, error) {
	judged := make([][]training.Sample, len(o.recorded))
	for i, part := range o.recorded {
		var err error
		if judged[i], err = recordedSamples(t, d, part); err != nil {
			return nil, err
		}
	}
	byPart := make([][]LearnerRow, len(o.recorded))
	for _, l := range o.learners {
		scores, seen, err := o.fit(ctx, t, l, upTo(len(t.Samples)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
		for i, part := range o.recorded {
			var v verdict
			for j := range judged[i] {
				v.add(&judged[i][j], scores)
			}
			judge := JudgeHeldOut
			if part == recordings.Fit {
				judge = JudgeFit
			}
			byPart[i] = append(byPart[i], v.row(l, judge, seen))
		}
	}
	return slices.Concat(byPart...), nil
}

// verdict collects the choices and errors of one learner.
type verdict struct{ ratios, errors []float64 }

func (v *verdict) add(s *training.Sample, scores Scores) {
	values := scores(s)
	chosen := -1
	for i, score := range values {
		if !s.Has(i) {
			continue
		}
		v.errors = append(v.errors, math.Abs(score-math.Log(s.Simulated[i])))
		if chosen < 0 || score < values[chosen] {
			chosen = i
		}
	}
	v.ratios = append(v.ratios, s.Simulated[chosen]/s.Best())
}

func (v *verdict) row(l Learner, judge string, samples int) LearnerRow {
	r := LearnerRow{Learner: l.Name, Judge: judge, Samples: samples, Loss: model.LossOf(v.ratios)}
	if l.Timeless {
		return r
	}
	var squares float64
	for _, e := range v.errors {
		squares += float64(e * e)
	}
	r.Error = &LogError{math.Sqrt(squares / float64(len(v.errors))), fit.Summarise(v.errors).P90}
	return r
}
