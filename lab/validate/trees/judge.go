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
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
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
	variant variant.Variant
	launch  device.Launch // as it was: the rule's too
	us      float64
}

// part is a part of the recordings that judges.
type part struct {
	name      string
	questions []question
}

// parts returns the recordings of an archive that judge.
func parts(a *archive.Archive) ([]part, error) {
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
	var all []part
	for i, list := range lists {
		p := part{name: names[i]}
		if p.questions, err = questions(list, other); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// launches are the measured times in other launches than the rule's.
func launches(a *archive.Archive) (map[recorded.CallKey][]measured, error) {
	read := []func() ([]recordings.Call, error){
		func() ([]recordings.Call, error) { return a.Launches(recordings.Fit) },
		func() ([]recordings.Call, error) { return a.Launches(recordings.HeldOut) },
	}
	for _, s := range a.Judging() {
		read = append(read, s.Launches)
	}
	all := map[recorded.CallKey][]measured{}
	for _, of := range read {
		calls, err := of()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, c := range calls {
			if c.Call.Returns || c.Call.Keeps || !c.Correct {
				continue
			}
			key := recorded.CallKey{Label: c.Label, Call: c.Call}
			all[key] = append(all[key], measured{c.Implementation,
				device.Launch{Blocks: c.Blocks, Threads: int(c.Threads), Unroll: c.Unroll}, c.MedianUS})
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
	choosers := recorded.ByCall(func(c device.Call) (*tuner.Chooser, error) {
		return chooser(list[0].Device, c)
	})
	for _, r := range list {
		q := question{Question: r, best: math.Inf(1)}
		s, there := stored[r.Label]
		if !there {
			return nil, fmt.Errorf("%s: no features are stored", r.Label)
		}
		q.features = s.features(dispatch.CallOf(r.Call, r.Stats.Bins))
		for _, c := range r.Calls {
			q.measured = append(q.measured, measured{c.Implementation,
				device.Launch{Blocks: c.Blocks, Threads: int(c.Threads), Unroll: 1}, c.MedianUS})
		}
		q.measured = append(q.measured, other[recorded.CallKey{Label: r.Label, Call: r.Call}]...)
		q.measured = slices.DeleteFunc(q.measured, func(m measured) bool {
			return m.variant.OnHost() || m.variant.NeedsGrouped()
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

// chooser is the tuner with all that it knows, launches searched.
func chooser(d *device.Profile, c device.Call) (*tuner.Chooser, error) {
	m, err := recorded.Model(d.Name)
	if err != nil {
		return nil, err
	}
	only := slices.DeleteFunc(append(variant.Candidates(), variant.Sized()...),
		func(v variant.Variant) bool { return v.OnHost() || v.NeedsGrouped() })
	return tuner.NewChooser(d, tuner.Options{Call: c, Model: m, SearchLaunch: true, Only: only})
}

// chosen is the measured time of the measured candidate of least predicted time.
func chosen(c *tuner.Chooser, q *question) (float64, error) {
	list := c.Candidates()
	predictions := make([]model.Prediction, len(list))
	if err := c.Forecast(q.Stats, predictions); err != nil {
		return 0, err
	}
	least, us := math.Inf(1), math.NaN()
	for i, p := range predictions {
		if t, there := q.of(list[i], p.Launch); there && p.US < least {
			least, us = p.US, t
		}
	}
	return us, nil
}

// of returns the measured time of exactly that implementation, in the launch or the nearest one.
func (q *question) of(v variant.Variant, l device.Launch) (us float64, there bool) {
	if l == (device.Launch{}) {
		us, there = q.US[v]
		return us, there
	}
	return q.nearest(func(m measured) (float64, bool) {
		return launchDistance(m.launch, l), m.variant == v
	})
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

// formDistance says how far two sizes of one form are apart, and whether they are of one form.
func formDistance(a, b variant.Variant) (float64, bool) {
	same := a.Base == b.Base && a.Reduction == b.Reduction && (a.G() > 1) == (b.G() > 1) &&
		a.Scatter == b.Scatter && a.Map == b.Map && a.Threshold == b.Threshold
	apart := func(x, y int) float64 {
		return math.Abs(math.Log2(float64(max(1, x)) / float64(max(1, y))))
	}
	d := 4*apart(a.Slots, b.Slots) + 4*apart(a.Width, b.Width) + 4*apart(a.G(), b.G()) +
		apart(a.R(), b.R())
	return d, same
}

// us is the measured time of an action: of its form, or the nearest size of it that was measured,
// in the nearest launch that was. A table filled by the tree's sample counts as one of known
// targets where that was measured.
func (q *question) us(a dispatch.Action) (us float64, there bool) {
	l := q.Device.Limits()
	v := a.Fitted(l, q.Call.Type, q.Stats.Bins)
	v.Sample = 0
	launch := a.Launch.On(l)
	us, there = q.nearest(func(m measured) (float64, bool) {
		form, same := formDistance(m.variant, v)
		if m.variant.Sample > 0 {
			form += 2
		}
		d := 100 * form
		if launch.Threads > 0 {
			d += launchDistance(m.launch, launch)
		}
		return d, same
	})
	if !there && v != (variant.Variant{}) {
		return q.us(dispatch.Action{Implementation: variant.Variant{Reduction: v.Reduction},
			Launch: a.Launch})
	}
	return us, there
}

// has reports whether the action's form was measured, in whatever size; one that falls back to
// global atomics was.
func (q *question) has(a dispatch.Action) bool {
	v := a.Fitted(q.Device.Limits(), q.Call.Type, q.Stats.Bins)
	if q.Device.CanCall(v, q.Call, q.Stats.Bins) != nil {
		return true
	}
	return slices.ContainsFunc(q.measured, func(m measured) bool {
		_, same := formDistance(m.variant, v)
		return same
	})
}
