package choices

import (
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// recordedPart is a part of the recorded streams that is judged by itself.
type recordedPart struct {
	name     string
	enforced bool // its figures have limits
	takes    func(q *recorded.Question) bool
}

// The parts.
const (
	heldOutPart = "held-out"            // what the limits are about
	freshPart   = "held-out, synthetic" // that of it on which nothing was shaped
	fitPart     = "fit"
)

// setPart is a validation set, judged by itself on its own questions.
func setPart(s archive.Set) recordedPart {
	takes := func(q *recorded.Question) bool { return q.Part == recorded.SetPart(s) }
	return recordedPart{s.Name() + " validation set", true, takes}
}

// judgedSet are the questions that an archive asks, and the parts of them that are judged.
type judgedSet struct {
	questions []recorded.Question
	parts     []recordedPart
}

// allJudged are the recorded streams of an archive and its validation sets.
func allJudged(a *archive.Archive) (all []judgedSet, err error) {
	own, err := recorded.Questions(a)
	all = append(all, judgedSet{own, recordedParts()})
	for _, s := range a.Judging() {
		if err != nil {
			break
		}
		own, err = recorded.SetQuestions(s)
		all = append(all, judgedSet{own, []recordedPart{setPart(s)}})
	}
	return all, err
}

func recordedParts() []recordedPart {
	of := func(part recordings.Part, takes func(label string) bool) func(*recorded.Question) bool {
		return func(q *recorded.Question) bool { return q.Part == part && takes(q.Label) }
	}
	every := func(string) bool { return true }
	fresh := func(label string) bool { return !recorded.Shaped(label) }
	return []recordedPart{
		{heldOutPart, true, of(recordings.HeldOut, every)},
		{freshPart, true, of(recordings.HeldOut, fresh)},
		{"held-out, files", false, of(recordings.HeldOut, recorded.IsFile)},
		{fitPart, false, of(recordings.Fit, every)},
	}
}

// TunerPart is what is found on one part of the recorded streams.
type TunerPart struct {
	Part      string      `json:"part"`
	Streams   int         `json:"streams"`
	Questions int         `json:"questions"` // streams and kinds of call
	Rules     []RuleLoss  `json:"rules"`     // where indices come again
	Once      RuleLoss    `json:"once"`
	ByType    []GroupLoss `json:"by_type"`
	ByFamily  []GroupLoss `json:"by_family"`
	// Choice and All are about predicted times: of the choice, and of every
	// implementation that was measured.
	Choice TimeError `json:"choice"`
	All    TimeError `json:"all"`
}

// judge sums up the part's answers.
func (part recordedPart) judge(list []tunerAnswer) TunerPart {
	var own []*tunerAnswer
	streams := map[string]bool{}
	var choices, all []forecast
	for i := range list {
		a := &list[i]
		if !part.takes(a.Question) {
			continue
		}
		own = append(own, a)
		streams[a.Label] = true
		choices, all = append(choices, a.choice), append(all, a.each...)
	}
	return TunerPart{
		Part: part.name, Streams: len(streams), Questions: len(own), Rules: ruleLosses(own), Once: onceLoss(own),
		ByType:   groupLosses(own, func(a *tunerAnswer) string { return a.Kind() }),
		ByFamily: groupLosses(own, func(a *tunerAnswer) string { return a.Family() }),
		Choice:   timeError(choices), All: timeError(all),
	}
}

// The limits of a part's losses, times the best.
const meanLoss, p90Loss, mostLoss = 1.05, 1.15, 1.5

// checks holds the losses of the part's choices and their predicted times to limits.
func (p TunerPart) checks() []validate.Check { return p.within(meanLoss, p90Loss, mostLoss) }

// within holds the losses to limits of their geometric mean, 90th percentile and maximum.
func (p TunerPart) within(mean, p90, most float64) []validate.Check {
	const loss, times = ": time of the choice over the best, ", validate.UnitTimes
	l := p.Rules[ruleOwn].Loss
	const once = ": indices come once, time of the choice over the best that is told nothing, "
	return []validate.Check{
		validate.AtMost(p.Part+once+"geometric mean", p.Once.Loss.GeometricMean, mean, times, p.Questions),
		validate.AtMost(p.Part+once+"maximum", p.Once.Loss.Max, most, times, p.Questions),
		validate.AtMost(p.Part+loss+"geometric mean", l.GeometricMean, mean, times, p.Questions),
		validate.AtMost(p.Part+loss+"90th percentile", l.P90, p90, times, p.Questions),
		validate.AtMost(p.Part+loss+"maximum", l.Max, most, times, p.Questions),
		validate.AtMost(p.Part+": predicted time of the choice, median error", p.Choice.MedianPercent,
			validate.ChoiceMedian, validate.UnitPercent, p.Questions),
	}
}

// covered holds the intervals of choices to the share that they state; without intervals there is no check.
func (p TunerPart) covered() []validate.Check {
	if p.Choice.CoveredPercent == nil {
		return nil
	}
	return []validate.Check{validate.AtLeast(p.Part+": measured times of choices within their 90 % interval",
		*p.Choice.CoveredPercent, validate.NominalShare, validate.UnitPercent, p.Questions)}
}
