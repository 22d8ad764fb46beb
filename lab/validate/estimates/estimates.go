// Package estimates judges profiles that are estimates: of the GPUs that were measured they are made
// in the same manner, without these GPUs' readings, and choose for the recorded calls.
package estimates

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/lab/estimate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// Distant is the profile from which distant estimates are made: of the vendor's profiles that hold no
// readings of a Hopper GPU, that of the nearest compute capability.
const Distant = "gtx980"

// Row is what choices by one profile come to on the calls of one part.
type Row struct {
	GPU     string
	Profile string          // in words
	Base    *device.Profile // of an estimate; nil: readings, or no profile at all
	Made    *device.Profile // the estimate
	Choices int
	Missed  int // choices that were not measured: they are in no loss
	Loss    model.Loss
	// |predicted/measured - 1| in percent: the medians of the choices and of all implementations.
	MedianPercent, AllMedianPercent float64
	// The losses of the choices by family of streams.
	// ln(measured/predicted) of all implementations.
	logs []float64
}

// factor returns within which factor of the predicted time nine of ten measured ones lie.
func (r *Row) factor() float64 {
	var off []float64
	for _, l := range r.logs {
		off = append(off, math.Abs(l))
	}
	return math.Exp(quantile.Of(off, 0.9))
}

// Report holds the rows of the held-out half of the recordings.
type Report struct{ HeldOut []Row }

// Judge judges the estimates of every GPU with recordings.
func Judge() (Report, error) { return judgeBy(recorded.OfPart) }

// judgeBy judges by what is read as that half.
func judgeBy(read func(*archive.Archive, recordings.Part) ([]recorded.Question, error),
) (r Report, err error) {
	figures, err := estimate.Public()
	if err != nil {
		return r, err
	}
	measured, err := estimate.Measured()
	if err != nil {
		return r, err
	}
	for _, a := range recorded.Archives {
		heldOut, err := read(a, recordings.HeldOut)
		if err != nil {
			return r, err
		}
		rows, err := plainRows(a, heldOut)
		if err != nil {
			return r, err
		}
		r.HeldOut = append(r.HeldOut, rows...)
		algorithms, err := algorithms(figures, a, measured)
		if err != nil {
			return r, err
		}
		for _, base := range algorithms {
			p, err := figures.Profile(a.Name(), base)
			if err != nil {
				return r, err
			}
			words := "estimate, from the " + base.Name
			of := Row{GPU: a.Name(), Profile: words, Base: base, Made: p}
			held, err := of.judge(heldOut, p)
			if err != nil {
				return r, err
			}
			r.HeldOut = append(r.HeldOut, held)
		}
	}
	return r, nil
}

// algorithms are those of the estimates of a GPU: the nearest measured one, and the distant one.
func algorithms(f *estimate.File, a *archive.Archive, measured []*device.Profile) ([]*device.Profile, error) {
	near, err := f.Nearest(a.Name(), measured)
	if err != nil {
		return nil, err
	}
	far, err := device.Builtin(Distant)
	return []*device.Profile{near, far}, err
}

// withTree is the profile of readings with its model.
const withTree = "of readings, with the tree"

// plainRows are those of the profile of readings, with its model and without, and of a rule that
// needs no profile.
func plainRows(a *archive.Archive, questions []recorded.Question) ([]Row, error) {
	own, err := a.Profile()
	if err != nil {
		return nil, err
	}
	full := Row{GPU: a.Name(), Profile: withTree}
	closed := Row{GPU: a.Name(), Profile: "of readings, closed forms alone"}
	if full, err = full.judge(questions, own); err != nil {
		return nil, err
	}
	bare := *own
	bare.Name += "-alone" // of which there is no model
	if closed, err = closed.judge(questions, &bare); err != nil {
		return nil, err
	}
	ladder := recorded.Rivals()[0]
	none := Row{GPU: a.Name(), Profile: "none: " + ladder.Name}
	var ratios []float64
	for i := range questions {
		q := &questions[i]
		none.Choices++
		if us, ok := q.US[ladder.Pick(q.Asked)]; ok {
			ratios = append(ratios, us/min(us, q.Best()))
		} else {
			none.Missed++
		}
	}
	none.Loss = model.LossOf(ratios)
	none.MedianPercent, none.AllMedianPercent = math.NaN(), math.NaN()
	return []Row{full, closed, none}, nil
}

// judge completes a row by the choices on questions with a profile.
func (r Row) judge(questions []recorded.Question, p *device.Profile) (Row, error) {
	measured, _ := recorded.Measured(questions)
	choosers := recorded.ByCall(func(c device.Call) (*tuner.Chooser, error) {
		return tuner.New(p, tuner.Options{Call: c, Calls: recorded.Again, Only: measured})
	})
	var off, allOff, ratios []float64
	for i := range questions {
		q := &questions[i]
		c, err := choosers(q.Call)
		if err != nil {
			return r, err
		}
		picked, err := c.Pick(q.Stats)
		if err != nil {
			return r, fmt.Errorf("%s, %s, by the %s: %w", q.Label, q.Kind(), r.Profile, err)
		}
		r.Choices++
		if us, ok := q.US[picked.Implementation]; ok {
			ratios = append(ratios, us/min(us, q.Best()))
			off = append(off, 100*math.Abs(picked.PredictedUS/us-1))
		} else {
			r.Missed++
		}
		predictions := make([]model.Prediction, len(c.Candidates()))
		if err := c.Forecast(q.Stats, predictions); err != nil {
			return r, err
		}
		for j, v := range c.Candidates() {
			if us, ok := q.US[v]; ok && !math.IsInf(predictions[j].US, 1) {
				r.logs = append(r.logs, math.Log(us/predictions[j].US))
				allOff = append(allOff, 100*math.Abs(predictions[j].US/us-1))
			}
		}
	}
	r.Loss = model.LossOf(ratios)
	r.MedianPercent, r.AllMedianPercent = quantile.Of(off, 0.5), quantile.Of(allOff, 0.5)
	return r, nil
}

// Judged is what tuner/model keeps of the report.
func (r *Report) Judged() model.Judged {
	var j model.Judged
	var readings Row
	for _, row := range r.HeldOut {
		if row.Base == nil {
			if row.Profile == withTree {
				readings = row
			}
			continue
		}
		j.Profiles = append(j.Profiles, model.JudgedProfile{Device: row.GPU, Base: row.Base.Name,
			Architecture: row.Base.Architecture, Loss: loss(row.Loss), Measured: loss(readings.Loss),
			MedianPercent: digits(row.MedianPercent), MeasuredMedianPercent: digits(readings.MedianPercent)})
	}
	return j
}

func loss(l model.Loss) model.Loss {
	l.GeometricMean, l.P90, l.Max = digits(l.GeometricMean), digits(l.P90), digits(l.Max)
	return l
}

// digits keeps four significant ones.
func digits(v float64) float64 {
	scale := math.Pow(10, 3-math.Floor(math.Log10(v)))
	return math.Round(v*scale) / scale
}
