package bench

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/quantile"
)

// Statement is one thing that the call is to do, with what it does.
type Statement struct {
	Text  string  `json:"text"`
	Value float64 `json:"value"`
	Limit float64 `json:"limit"` // at most this, or with Least no less
	Least bool    `json:"at_least"`
	Unit  string  `json:"unit"`
	Rows  int     `json:"rows"` // streams and kinds of call behind the value; with none it is not met
	On    string  `json:"on"`   // the stream and kind of an extreme value
	Met   bool    `json:"met"`
}

// sample is what a statement looks at: values with the streams and kinds that they are of.
type sample struct {
	values []float64
	on     []string
}

func (s *sample) add(v float64, c *Case) {
	s.values, s.on = append(s.values, v), append(s.on, c.Label+" "+c.Kind.String())
}

// judge sums a sample up and holds it to a limit.
type judge struct {
	run  *Run
	p    *device.Profile
	list []Statement
}

const (
	times  = "times"
	micros = "us"
)

func (j *judge) atMost(text, unit string, limit float64, s sample, sum summary) {
	j.hold(text, unit, limit, false, s, sum)
}

func (j *judge) atLeast(text, unit string, limit float64, s sample, sum summary) {
	j.hold(text, unit, limit, true, s, sum)
}

func (j *judge) hold(text, unit string, limit float64, lower bool, s sample,
	sum summary) {
	st := Statement{Text: text, Limit: limit, Least: lower, Unit: unit, Rows: len(s.values)}
	if st.Rows > 0 {
		st.Value = sum.of(s.values)
		if sum.extreme {
			st.On = s.on[slices.Index(s.values, st.Value)]
		}
		st.Met = lower && st.Value >= limit || !lower && st.Value <= limit
	}
	j.list = append(j.list, st)
}

// summary makes one value of a sample's.
type summary struct {
	of      func([]float64) float64
	extreme bool // it is one of them
}

var (
	most   = summary{of: func(v []float64) float64 { return slices.Max(v) }, extreme: true}
	least  = summary{of: func(v []float64) float64 { return slices.Min(v) }, extreme: true}
	median = summary{of: func(v []float64) float64 { return quantile.Of(v, 0.5) }}
	mean   = summary{of: geometricMean}
	total  = summary{of: sum}
	number = summary{of: func(v []float64) float64 { return float64(len(v)) }}
)

// where collects what value gives of the cases of a choice.
func (j *judge) where(take func(*Case) bool, value func(*Case) (float64, bool)) (s sample) {
	for i := range j.run.Cases {
		c := &j.run.Cases[i]
		if !take(c) {
			continue
		}
		if v, ok := value(c); ok {
			s.add(v, c)
		}
	}
	return s
}

// over is the time of one of ours over that of another, both with 32-bit indices.
func over(ours, other, launch string) func(*Case) (float64, bool) {
	return func(c *Case) (float64, bool) {
		a, there := c.time(Place{"u32", ours, ""})
		b, here := c.time(Place{"u32", other, launch})
		return a.US / b.US, there && here
	}
}

// beyond is the time by which the call is above another.
func beyond(other, launch string) func(*Case) (float64, bool) {
	return func(c *Case) (float64, bool) {
		a, there := c.time(Place{"u32", call, ""})
		b, here := c.time(Place{"u32", other, launch})
		return a.US - b.US, there && here
	}
}

// beyondChosen is the time by which the call is above the implementation that it runs.
func beyondChosen(c *Case) (float64, bool) {
	a, there := c.time(Place{"u32", call, ""})
	form, launch, _ := strings.Cut(a.Chosen, " ")
	b, here := c.time(Place{"u32", form, launch})
	return a.US - b.US, there && here
}

// sampling is the time by which the call is above a plan that runs the same implementation in the same launch,
// where it is more than the noise of a call that takes no sample.
func sampling(c *Case) (float64, bool) {
	const noise = 1 // us
	a, there := c.time(Place{"u32", call, ""})
	b, here := c.time(Place{"u32", planned, ""})
	return a.US - b.US, there && here && a.Chosen == b.Chosen && a.US-b.US > noise
}

func all(*Case) bool { return true }

func from(updates uint64) func(*Case) bool {
	return func(c *Case) bool { return c.Updates >= updates }
}

func recorded(c *Case) bool { return c.Group == groupRecorded }

// calm says that updates hardly collide: 31 of a warp's 32 have targets of their own, and no target
// has more than a thousandth of all updates.
func calm(c *Case) bool {
	return c.DistinctPerWarp >= 31 && 1000*c.MaxFrequency <= c.Updates
}

// statements holds a run to what the call is to do.
func (r *Run) statements(p *device.Profile) []Statement {
	j := &judge{run: r, p: p}
	j.againstBest()
	j.againstPlain()
	j.againstLibraries()
	skewed := j.where(func(c *Case) bool { return c.Group == groupSkewed }, r.overUniform)
	j.atMost("skewed streams over the uniform one of their size and type, at worst", times, 1.3,
		skewed, most)
	j.atMost("deterministic over the best form, at worst", times, 1.5,
		j.where(all, over(deterministic, best, anyLaunch)), most)
	real := map[string]bool{}
	for _, c := range r.Cases {
		real[c.Label] = real[c.Label] || c.Group == groupReal
	}
	var streams sample
	for label, is := range real {
		if is {
			streams.values, streams.on = append(streams.values, 1), append(streams.on, label)
		}
	}
	j.atLeast("streams of real data", "streams", 60, streams, number)
	j.atMost("wrong results", "results", 0, j.where(all, wrongResults), total)
	return j.list
}

func sum(values []float64) (all float64) {
	for _, v := range values {
		all += v
	}
	return all
}

func wrongResults(c *Case) (n float64, ok bool) {
	for _, t := range c.Times {
		if t.Wrong > 0 {
			n++
		}
	}
	return n, true
}

func (j *judge) againstBest() {
	for _, ours := range []struct {
		name, words       string
		long, middle, bad float64
	}{
		{call, "the call", 1.10, 1.3, 1.6}, {planned, "with a plan", 1.03, 1.05, 1.6},
		{tuned, "with a tuned plan", 1.03, 1.05, 1.6},
	} {
		ratio := over(ours.name, best, anyLaunch)
		text := ours.words + " over the best of all forms and launches, "
		j.atMost(text+"mean from 2^23 updates on", times, ours.long, j.where(from(1<<23), ratio),
			mean)
		j.atMost(text+"mean from 2^20 updates on", times, ours.middle, j.where(from(1<<20), ratio),
			mean)
		j.atMost(text+"at worst from 2^20 updates on", times, ours.bad, j.where(from(1<<20), ratio), most)
	}
	chosen := j.where(all, beyondChosen)
	j.atMost("the call beyond the form that it runs, median", micros, 4, chosen, median)
	j.atMost("the call beyond the form that it runs, at worst", micros, 4, chosen, most)
	j.atMost("a call that samples beyond a plan of the same form, median", micros, 4,
		j.where(all, sampling), median)
}

func (j *judge) againstPlain() {
	launch := plainLaunch(j.p)
	for _, name := range []string{planned, tuned} {
		words := map[string]string{planned: "a plan", tuned: "a tuned plan"}[name]
		j.atMost("with "+words+" over plain atomics where updates hardly collide, at worst", times, 1.03,
			j.where(calm, over(name, plain, launch)), most)
	}
	j.atMost("the call beyond plain atomics where updates hardly collide, at worst", micros, 4,
		j.where(calm, beyond(plain, launch)), most)
}

func (j *judge) againstLibraries() {
	rivals := Rivals()
	named := func(name string) Rival {
		return rivals[slices.IndexFunc(rivals, func(r Rival) bool { return r.implementation == name })]
	}
	for _, x := range []struct {
		name          string
		mean, planned float64
		fewest        uint64 // updates from which the call is never slower
	}{{"torch.scatter_add_", 20, 25, 1 << 20}, {"cub::HistogramEven", 3, 0, 0},
		{"torch.bincount", 15, 0, 0}} {
		rival := named(x.name)
		ratio := func(ours string) func(*Case) (float64, bool) {
			return func(c *Case) (float64, bool) { return c.ratio(rival, j.p, ours) }
		}
		text := rival.Name + " over the call, recorded streams, "
		j.atLeast(text+"mean", times, x.mean, j.where(recorded, ratio(call)), mean)
		if x.planned > 0 {
			j.atLeast(rival.Name+" over the call with a plan, recorded streams, mean", times, x.planned,
				j.where(recorded, ratio(planned)), mean)
		}
		if x.name == "torch.bincount" {
			continue
		}
		text, take := rival.Name+" over the call, all streams, at worst", all
		if x.fewest > 0 {
			text, take = fmt.Sprintf("%s from 2^%d updates on", text, bits.Len64(x.fewest)-1), from(x.fewest)
		}
		j.atLeast(text, times, 0.95, j.where(take, ratio(call)), least)
	}
}

// overUniform is the time of the call on a skewed stream over that on the uniform one of its group,
// size and type.
func (r *Run) overUniform(c *Case) (float64, bool) {
	if family(c.Label) == "uniform" {
		return 0, false
	}
	mine, there := c.time(Place{"u32", call, ""})
	for i := range r.Cases {
		u := &r.Cases[i]
		if u.Group == c.Group && u.Kind == c.Kind && u.Updates == c.Updates && u.Bins == c.Bins &&
			family(u.Label) == "uniform" {
			other, here := u.time(Place{"u32", call, ""})
			return mine.US / other.US, there && here
		}
	}
	return 0, false
}
