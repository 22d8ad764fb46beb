package choices

import (
	"math"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
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
	Ruled, Searched, Best model.Loss
	// Long are those from 2^18 updates on; Covered is the share of chosen calls whose measured time
	// lies in the interval.
	LongRuled, LongSearched model.Loss
	Covered                 float64 `json:"covered"`
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
		l := device.Launch{Blocks: c.Blocks, Threads: int(c.Threads), Unroll: c.Unroll}
		all[key][l] = c.MedianUS
	}
	return all
}

// candidate is an implementation in a launch: its prediction and its measured time.
type candidate struct {
	model.Prediction
	us float64
}

// Launches judges choices of implementation and launch together by the recorded calls of a part.
func Launches(a *archive.Archive, part recordings.Part, m *model.Model) (r LaunchLoss, err error) {
	questions, err := recorded.OfPart(a, part)
	if err != nil {
		return r, err
	}
	calls, err := a.Launches(part)
	if err != nil {
		return r, err
	}
	return launchLoss(questions, launchesOf(calls), part, m)
}

func launchLoss(questions []recorded.Question, times launched, part recordings.Part, m *model.Model,
) (r LaunchLoss, err error) {
	r.Part = part
	var ruled, searched, best, longRuled, longSearched []float64
	covered := 0
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
		least := q.Best()
		for _, v := range recorded.OnDevice() {
			for _, us := range times[recorded.CallKey{Label: q.Label, Call: q.Call, Implementation: v}] {
				least = min(least, us)
			}
		}
		ruled, searched = append(ruled, rule.us/least), append(searched, any.us/least)
		best = append(best, q.Best()/least)
		if q.Stats.Updates >= longFrom {
			longRuled, longSearched = append(longRuled, rule.us/least), append(longSearched, any.us/least)
		}
		if any.Low <= any.us && any.us <= any.High {
			covered++
		}
	}
	r.Ruled, r.Searched, r.Best = model.LossOf(ruled), model.LossOf(searched), model.LossOf(best)
	r.LongRuled, r.LongSearched = model.LossOf(longRuled), model.LossOf(longSearched)
	r.Covered = float64(covered) / float64(len(questions))
	return r, nil
}

// underLaunches are choosers under the rule's launch and under each that a search tries.
func underLaunches(d *device.Profile, c device.Call, m *model.Model) (list []*tuner.Chooser, err error) {
	for _, l := range append([]device.Launch{{}}, d.Limits().Searched()...) {
		chooser, err := tuner.NewChooser(d, tuner.Options{Call: c, Only: recorded.OnDevice(), Launch: l,
			Model: m})
		if err != nil {
			return nil, err
		}
		list = append(list, chooser)
	}
	return list, nil
}

// candidates returns the measured candidates of least predicted time, in the rule's launch and in
// any.
func candidates(q *recorded.Question, choosers []*tuner.Chooser, times launched,
) (rule, any candidate, err error) {
	rule.US, any.US = math.Inf(1), math.Inf(1)
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
			if p.US < any.US {
				any = candidate{p, us}
			}
			if k == 0 && p.US < rule.US {
				rule = candidate{p, us}
			}
		}
	}
	return rule, any, nil
}
