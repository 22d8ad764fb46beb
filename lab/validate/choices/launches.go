package choices

import (
	"errors"
	"io/fs"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// LaunchLoss is what choices of an implementation lose to the best measured implementation in the
// best measured launch.
type LaunchLoss struct {
	Part recordings.Part `json:"part"`
	// Ruled keeps the rule's launch; Searched chooses among the rule's and those of
	// device.Limits.Searched, as far as they were measured; Best is the best implementation in the
	// rule's launch, which no choice of an implementation alone can better.
	Ruled    model.Loss `json:"ruled"`
	Searched model.Loss `json:"searched"`
	Best     model.Loss `json:"best"`
	// Covered is the share of chosen calls whose measured time lies in the interval, nil without intervals.
	Covered *float64 `json:"covered"`
}

// launched are measured times in launches other than the rule's.
type launched map[recorded.CallKey]map[device.Launch]float64

func launchesOf(calls []recordings.Call) launched {
	all := launched{}
	for _, c := range calls {
		if c.Call.Returns || c.Call.Keeps || !c.Correct {
			continue
		}
		key := recorded.CallKey{Label: c.Label, Call: c.Call, Implementation: c.Implementation}
		if all[key] == nil {
			all[key] = map[device.Launch]float64{}
		}
		l := c.Launch()
		all[key][l] = c.MedianUS
	}
	return all
}

// allLaunches are the times in other launches of an archive and of its validation sets.
func allLaunches(a *archive.Archive) (launched, error) {
	var calls []recordings.Call
	own := a.Set("") // both parts
	for _, s := range append([]archive.Set{own}, a.Judging()...) {
		some, err := s.Launches()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		calls = append(calls, some...)
	}
	return launchesOf(calls), nil
}

// candidate is an implementation in a launch: its prediction and its measured time.
type candidate struct {
	model.Priced
	us float64
}

// The limits of choices of implementation and launch together.
const launchMean, launchP90, launchMax = 1.03, 1.1, 1.4

// judgeLaunches judges choices of implementation and launch together, by the held-out half and by
// each validation set in which launches were measured.
func (r *TunerReport) judgeLaunches(a *archive.Archive, m *model.Model) error {
	times, err := allLaunches(a)
	if err != nil {
		return err
	}
	questions, err := recorded.OfPart(a, recordings.HeldOut)
	if err != nil {
		return err
	}
	parts := map[recordings.Part][]recorded.Question{recordings.HeldOut: questions}
	names := []recordings.Part{recordings.HeldOut}
	for _, s := range a.Judging() {
		set, err := recorded.SetQuestions(s)
		if err != nil {
			return err
		}
		if tabled(set) {
			parts[recorded.SetPart(s)] = set
			names = append(names, recorded.SetPart(s))
		}
	}
	for _, part := range names {
		l, err := launchLoss(parts[part], times, part, m)
		if err != nil {
			return err
		}
		r.Launches = append(r.Launches, l)
		item := func(figure string) string {
			return string(part) + ", form and launch together: " + figure
		}
		const loss = "time of the choice over the best of all launches, "
		s := l.Searched
		r.Checks = append(r.Checks,
			validate.AtMost(item(loss+"geometric mean"), s.GeometricMean, launchMean,
				validate.UnitTimes, s.Points),
			validate.AtMost(item(loss+"90th percentile"), s.P90, launchP90, validate.UnitTimes, s.Points),
			validate.AtMost(item(loss+"maximum"), s.Max, launchMax, validate.UnitTimes, s.Points))
		if l.Covered != nil {
			r.Checks = append(r.Checks, seen([]validate.Check{validate.AtLeast(
				item("measured times of choices within their 90 % interval"), 100**l.Covered,
				validate.NominalShare, validate.UnitPercent, s.Points)}, r.Intervals)...)
		}
	}
	return nil
}

func launchLoss(questions []recorded.Question, times launched, part recordings.Part, m *model.Model,
) (r LaunchLoss, err error) {
	r.Part = part
	var ruled, searched, best []float64
	covered, intervals := 0, true
	choosers := recorded.ByCall(func(c device.Call) ([]*tuner.Chooser, error) {
		return underLaunches(questions[0].Device, c, m)
	})
	for i := range questions {
		q := &questions[i]
		all, err := choosers(q.Call)
		if err != nil {
			return r, err
		}
		rule, any, err := candidates(q, all, times)
		if err != nil {
			return r, err
		}
		least := math.Inf(1)
		for v, us := range q.US {
			if v.OnHost() {
				continue
			}
			least = min(least, us)
			for _, us := range times[recorded.CallKey{Label: q.Label, Call: q.Call, Implementation: v}] {
				least = min(least, us)
			}
		}
		ruled, searched = append(ruled, rule.us/least), append(searched, any.us/least)
		best = append(best, q.Best()/least)
		if any.Low <= any.us && any.us <= any.High {
			covered++
		}
		intervals = intervals && !math.IsNaN(any.High)
	}
	r.Ruled, r.Searched, r.Best = model.LossOf(ruled), model.LossOf(searched), model.LossOf(best)
	if intervals {
		r.Covered = new(float64(covered) / float64(len(questions)))
	}
	return r, nil
}

// underLaunches are choosers under the rule's launch and under each that a search tries, of all that
// a choice ranks on the device.
func underLaunches(d *device.Profile, c device.Call, m *model.Model) (list []*tuner.Chooser, err error) {
	ranked := slices.DeleteFunc(tuner.Options{}.Candidates(d), impl.Spec.OnHost)
	for _, l := range append([]device.Launch{{}}, d.Limits().Searched()...) {
		chooser, err := tuner.New(d, tuner.Options{Call: c, Calls: recorded.Again, Launches: []device.Launch{l}, Model: m,
			Only: ranked})
		if err != nil {
			return nil, err
		}
		list = append(list, chooser)
	}
	return list, nil
}

// candidates returns the choices among the measured candidates in the rule's launch and in any.
func candidates(q *recorded.Question, choosers []*tuner.Chooser, times launched,
) (rule, any candidate, err error) {
	var ruled, searched []candidate
	for k, c := range choosers {
		list := c.Candidates()
		predictions := make([]model.Prediction, len(list))
		if err := c.Forecast(q.Stats, predictions); err != nil {
			return rule, any, err
		}
		for i, p := range predictions {
			us, measured := q.US[list[i]]
			if k > 0 {
				key := recorded.CallKey{Label: q.Label, Call: q.Call, Implementation: list[i]}
				us, measured = times[key][p.Launch]
				measured = measured && list[i].Launched()
			}
			if !measured || !list[i].Worthwhile(q.Stats.Bins, q.Call.Type.Bytes()) {
				continue
			}
			of := candidate{model.Priced{Implementation: list[i], Prediction: p}, us}
			searched = append(searched, of)
			if k == 0 {
				ruled = append(ruled, of)
			}
		}
	}
	of := func(all []candidate) (chosen candidate) {
		list := make([]model.Priced, len(all))
		for i, c := range all {
			list[i] = c.Priced
		}
		if at, _ := model.Choices(list); at >= 0 {
			chosen = all[at]
		}
		return chosen
	}
	return of(ruled), of(searched), nil
}

// tabled reports whether forms of hot were measured at all.
func tabled(questions []recorded.Question) bool {
	return slices.ContainsFunc(questions, func(q recorded.Question) bool {
		for v := range q.US {
			if v.Slots > 0 {
				return true
			}
		}
		return false
	})
}
