package trees

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/model"
)

// A question is a recorded stream and call with what the tree sees of it.
type question struct {
	recorded.Question
	features dispatch.Features
	measured []measured
	best     float64 // least measured time of all implementations and launches, us
	chosen   float64 // measured time of the choice of tuner, which knows the whole stream
}

// measured is one measured time.
type measured struct {
	implementation impl.Spec
	launch         device.Launch // as it was: the rule's too
	us             float64
}

// part is a part of the recordings that judges.
type part struct {
	name      string
	questions []question
}

// parts returns the recordings of an archive that judge.
func parts(a *archive.Archive) (all []part, err error) {
	held, err := recorded.OfPart(a, recordings.HeldOut)
	if err != nil {
		return nil, err
	}
	lists, names := [][]recorded.Question{held}, []string{"held-out half"}
	for _, s := range a.Judging() {
		own, err := recorded.SetQuestions(s)
		if err != nil {
			return nil, err
		}
		lists, names = append(lists, own), append(names, s.Name()+" set")
	}
	other, err := launches(a)
	if err != nil {
		return nil, err
	}
	for i, list := range lists {
		p := part{name: names[i]}
		if p.questions, err = questions(list, other); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// launches are the measured times in other launches than the rule's, of an archive and of its
// validation sets.
func launches(a *archive.Archive) (map[recorded.CallKey][]measured, error) {
	all := map[recorded.CallKey][]measured{}
	for _, s := range append(a.Judging(), a.Set("")) {
		calls, err := s.Launches()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, c := range calls {
			if c.Call.Returns || c.Call.Keeps || !c.Correct {
				continue
			}
			key := recorded.CallKey{Label: c.Label, Call: c.Call}
			all[key] = append(all[key], measured{c.Implementation,
				c.Launch(), c.MedianUS})
		}
	}
	return all, nil
}

func questions(list []recorded.Question, other map[recorded.CallKey][]measured) ([]question, error) {
	stored, err := samples()
	if err != nil {
		return nil, err
	}
	var all []question
	choosers := recorded.ByCall(func(c device.Call) ([]*tuner.Chooser, error) {
		return underLaunches(list[0].Device, c)
	})
	for _, r := range list {
		q := question{Question: r, best: math.Inf(1)}
		s, there := stored[r.Label]
		if !there {
			continue
		}
		q.features = s.features(r.Call, r.Stats.Bins)
		for _, c := range r.Calls {
			q.measured = append(q.measured, measured{c.Implementation,
				device.Launch{Blocks: c.Blocks, Threads: int(c.Threads), Unroll: 1}, c.MedianUS})
		}
		q.measured = append(q.measured, other[recorded.CallKey{Label: r.Label, Call: r.Call}]...)
		q.measured = slices.DeleteFunc(q.measured, func(m measured) bool {
			return m.implementation.OnHost() || m.implementation.NeedsGrouped()
		})
		for _, m := range q.measured {
			q.best = min(q.best, m.us)
		}
		c, err := choosers(r.Call)
		if err != nil {
			return nil, err
		}
		if q.chosen, err = chosen(c, &q); err != nil {
			return nil, err
		}
		all = append(all, q)
	}
	return all, nil
}

// underLaunches are the tuner's choosers, which know the whole stream, under the rule's launch and
// each that a search tries.
func underLaunches(d *device.Profile, c device.Call) (list []*tuner.Chooser, err error) {
	m, err := recorded.Model(d.Name)
	if err != nil {
		return nil, err
	}
	only := slices.DeleteFunc(tuner.Options{}.Candidates(d),
		func(v impl.Spec) bool { return v.OnHost() || v.NeedsGrouped() })
	for _, l := range append([]device.Launch{{}}, d.Limits().Searched()...) {
		one, err := tuner.New(d, tuner.Options{Call: c, Calls: recorded.Again, Model: m, Launches: []device.Launch{l}, Only: only})
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// chosen is the measured time of the measured candidate of least predicted time, in the rule's
// launch or another.
func chosen(choosers []*tuner.Chooser, q *question) (float64, error) {
	least, us := math.Inf(1), math.NaN()
	for k, c := range choosers {
		list := c.Candidates()
		predictions := make([]model.Prediction, len(list))
		if err := c.Forecast(q.Stats, predictions); err != nil {
			return 0, err
		}
		for i, p := range predictions {
			t, there := q.US[list[i]]
			if k > 0 {
				t, there = q.launched(list[i], p.Launch)
			}
			if there && p.US < least {
				least, us = p.US, t
			}
		}
	}
	return us, nil
}

// launched is the measured time of an implementation in a launch, of those that a search is for.
func (q *question) launched(v impl.Spec, l device.Launch) (us float64, there bool) {
	for _, m := range q.measured {
		if v.Launched() && m.implementation == v && m.launch == l {
			return m.us, true
		}
	}
	return 0, false
}

// nearest returns the time at the least distance, of equal ones the least.
func (q *question) nearest(distance func(m measured) (float64, bool)) (us float64, there bool) {
	least := math.Inf(1)
	for _, m := range q.measured {
		if d, ok := distance(m); ok && (d < least || d == least && m.us < us) {
			least, us, there = d, m.us, true
		}
	}
	return us, there
}

// launchDistance says how far launches are apart: in threads of the grid, of a block, and turns.
func launchDistance(a, b device.Launch) float64 {
	apart := func(x, y float64) float64 { return math.Abs(math.Log2(x / y)) }
	return apart(float64(a.Blocks)*float64(a.Threads), float64(b.Blocks)*float64(b.Threads)) +
		apart(float64(a.Threads), float64(b.Threads))/2 +
		apart(float64(cmp.Or(a.Unroll, 1)), float64(cmp.Or(b.Unroll, 1)))/4
}

// sameImplementation reports whether two implementations are sizes of one implementation.
func sameImplementation(a, b impl.Spec) bool {
	return a.Algorithm == b.Algorithm && a.Reduction == b.Reduction && (a.G() > 1) == (b.G() > 1) &&
		a.Scatter == b.Scatter && a.Map == b.Map && a.Threshold == b.Threshold &&
		(a.R() > 1 && a.Pad == 0) == (b.R() > 1 && b.Pad == 0) // copies whose distance is odd by itself
}

// formDistance says how far two sizes of one implementation are apart.
func formDistance(a, b impl.Spec) float64 {
	apart := func(x, y int) float64 {
		if x == y {
			return 0
		}
		return math.Abs(math.Log2(float64(max(1, x)) / float64(max(1, y))))
	}
	return apart(a.Slots, b.Slots)/2 + apart(a.R(), b.R())/2 + apart(a.Width, b.Width) +
		2*apart(a.G(), b.G())
}

// us is the measured time of a candidate: of its implementation, or the nearest size of it that was measured,
// in the nearest launch that was. A table filled by the tree's sample counts as one of known
// targets where that was measured. An implementation that cannot run falls back to global atomics.
func (q *question) us(a dispatch.Candidate) (us float64, there bool) {
	l := q.Device.Limits()
	v := a.Fitted(l, q.Call.Type, q.Stats.Bins)
	v.Sample = 0
	plain := impl.Spec{Reduction: v.Reduction}
	if v != plain && q.Device.CanCall(v, q.Call, q.Stats.Bins) != nil {
		return q.us(dispatch.Candidate{Implementation: plain, Launch: a.Launch})
	}
	launch := a.Launch.On(l)
	us, there = q.nearest(func(m measured) (float64, bool) {
		if !sameImplementation(m.implementation, v) {
			return 0, false
		}
		form := formDistance(m.implementation, v)
		if m.implementation.Sample > 0 {
			form += 2
		}
		if launch.Threads > 0 {
			form += launchDistance(m.launch, launch)
		}
		return form, true
	})
	if !there && v != plain {
		return q.us(dispatch.Candidate{Implementation: plain, Launch: a.Launch})
	}
	return us, there
}

// has reports whether the candidate's implementation was measured, in whatever size; one that falls back to
// global atomics was.
func (q *question) has(a dispatch.Candidate) bool {
	v := a.Fitted(q.Device.Limits(), q.Call.Type, q.Stats.Bins)
	if (!q.Call.Returns || v.ReturnsOld()) && q.Device.CanCall(v, q.Call, q.Stats.Bins) != nil {
		return true
	}
	return slices.ContainsFunc(q.measured, func(m measured) bool {
		return sameImplementation(m.implementation, v)
	})
}
