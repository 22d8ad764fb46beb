package choices

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
)

// PortfolioRow is the time of the best measured implementation over the floor of
// speedup.Bundle.Floor, on a group of recorded streams and kinds of call.
type PortfolioRow struct {
	Group string     `json:"group"`
	Over  model.Loss `json:"over"`
}

// The limits of the portfolio: what the best implementation may lose to the floor. From portfolioUpdates on
// launches are no longer most of a call. A target is hot that gets hotShare of the updates. Streams
// with one may lose skewedOver times what uniform ones of their size lose, in the mean over these,
// where the targets do not fit shared memory.
const (
	portfolioUpdates = 1 << 20
	portfolioMean    = 1.7
	portfolioMax     = 6
	skewedOver       = 1.2
	hotShare         = 0.001
)

// The groups of the portfolio that have limits.
const (
	wholePortfolio  = "all"
	skewedPortfolio = "a hot target, beyond shared memory: over uniform of the size"
)

// distance is how far the best implementation of a question is from its floor.
type distance struct {
	*recorded.Question
	over float64
}

// distances are those of questions from portfolioUpdates on. The best implementation is that of all
// in all launches that were measured, but for those that the host re-lays.
func distances(questions []recorded.Question, times launched) (list []distance, err error) {
	bundle := recorded.ByCall(func(c device.Call) (*speedup.Bundle, error) {
		return speedup.CompileAll(nil, questions[0].Device, c)
	})
	for i := range questions {
		q := &questions[i]
		if q.Stats.Updates < portfolioUpdates {
			continue
		}
		b, err := bundle(q.Call)
		if err != nil {
			return nil, err
		}
		best := math.Inf(1)
		for v, us := range q.US {
			if v.OnHost() {
				continue
			}
			best = min(best, us)
			key := recorded.CallKey{Label: q.Label, Call: q.Call, Implementation: v}
			for _, us := range times[key] {
				best = min(best, us)
			}
		}
		list = append(list, distance{q, best / b.Floor(q.Stats).US})
	}
	return list, nil
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

// size names the class of a stream's number of updates: two powers of two.
func (d *distance) size() string {
	power := (bits.Len64(d.Stats.Updates) - 1) &^ 1
	return fmt.Sprintf("2^%d to 2^%d updates", power, power+2)
}

// kind tells uniform streams and those with a hot target apart, "" for others and where the
// targets fit the shared memory of a block.
func (d *distance) kind() string {
	bytes := d.Stats.Bins * uint64(d.Call.Type.Bytes())
	switch {
	case bytes <= d.Device.Limits().SharedBytes:
	case d.Family() == "uniform":
		return "uniform"
	case float64(d.Stats.MaxFrequency) >= hotShare*float64(d.Stats.Updates):
		return "hot"
	}
	return ""
}

// portfolio sums up how far the best implementations are from the floor, and the checks of that.
func portfolio(list []distance) (rows []PortfolioRow, checks []validate.Check) {
	over := map[string][]float64{}
	var names []string
	add := func(group string, ratio float64) {
		if over[group] == nil {
			names = append(names, group)
		}
		over[group] = append(over[group], ratio)
	}
	uniform := map[string][]float64{}
	for i := range list {
		d := &list[i]
		add(wholePortfolio, d.over)
		add(d.size(), d.over)
		add(d.Family(), d.over)
		if d.kind() == "uniform" {
			uniform[d.size()] = append(uniform[d.size()], d.over)
		}
	}
	for i := range list {
		d := &list[i]
		if d.kind() == "hot" && uniform[d.size()] != nil {
			add(skewedPortfolio, d.over/model.LossOf(uniform[d.size()]).GeometricMean)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		rows = append(rows, PortfolioRow{name, model.LossOf(over[name])})
	}
	item := func(figure string) string { return "best implementation over the floor: " + figure }
	all, skewed := model.LossOf(over[wholePortfolio]), model.LossOf(over[skewedPortfolio])
	return rows, []validate.Check{
		validate.AtMost(item("geometric mean"), all.GeometricMean, portfolioMean, validate.UnitTimes,
			all.Points),
		validate.AtMost(item("maximum"), all.Max, portfolioMax, validate.UnitTimes, all.Points),
		validate.AtMost(item(skewedPortfolio+", geometric mean"), skewed.GeometricMean, skewedOver,
			validate.UnitTimes, skewed.Points),
	}
}

// judgePortfolio judges all recorded questions, whatever their part, of sets in which forms of hot
// were measured: no choice is asked.
func (r *TunerReport) judgePortfolio(a *archive.Archive) error {
	sets, err := allJudged(a)
	if err != nil {
		return err
	}
	var list []distance
	times, err := allLaunches(a)
	if err != nil {
		return err
	}
	for _, set := range sets {
		if !tabled(set.questions) {
			continue // recorded before
		}
		some, err := distances(set.questions, times)
		if err != nil {
			return err
		}
		list = append(list, some...)
	}
	rows, checks := portfolio(list)
	r.Portfolio, r.Checks = rows, append(r.Checks, checks...)
	return nil
}
