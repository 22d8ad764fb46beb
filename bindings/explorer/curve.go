package explorer

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// Curve is how times go along one axis, all else as the question has it.
type Curve struct {
	Axis  Axis      `json:"axis"`
	At    []float64 `json:"at"`
	Lines []Line    `json:"lines"` // what is fastest somewhere, and the plain atomics, as far as they run
	Wins  []Win     `json:"wins"`  // from the lowest place on
}

// Line is the time of one implementation.
type Line struct {
	Name string     `json:"name"`
	US   []*float64 `json:"us"` // nil where it cannot run
	of   impl.Spec
}

// Win is a stretch of the axis on which one implementation is the fastest.
type Win struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"` // in words
	Class string  `json:"class"`
	From  float64 `json:"from"` // where it overtakes the one before; the lowest place for the first
}

// An implementation keeps its stretch until another is faster than it by this share.
const tie = 0.02

// Ahead measures the stream at one place of the curve that is not known yet, and reports whether
// all are known: Curve takes little time then. Errors are those of Curve.
func (x *Explorer) Ahead(q CallQuestion) (bool, error) {
	axis, err := axisOf(q.Axis)
	if err != nil {
		return false, err
	}
	d, err := device.Builtin(q.Device)
	if err != nil {
		return false, err
	}
	lanes := int(d.Core.WarpLanes.Value)
	for _, at := range axis.places(q.Stream) {
		if s := axis.move(q.Stream, at); !x.stats.has(measured{s, lanes}) {
			_, err := x.Stats(s, lanes)
			return false, err
		}
	}
	return true, nil
}

// Curve answers how the ranking changes along the question's axis. Errors are those of Call.
func (x *Explorer) Curve(q CallQuestion) (Curve, error) {
	axis, err := axisOf(q.Axis)
	if err != nil {
		return Curve{}, err
	}
	d, err := device.Builtin(q.Device)
	if err != nil {
		return Curve{}, err
	}
	chooser, err := x.choosers.of(choice{q.Device, q.Call, q.Launch}, func() (*tuner.Chooser, error) {
		o, err := q.options()
		if err != nil {
			return nil, err
		}
		return tuner.New(d, o)
	})
	if err != nil {
		return Curve{}, err
	}
	c, err := x.along(q, axis, d, chooser, axis.places(q.Stream))
	if err != nil || axis.Name != "targets" {
		return c, err
	}
	return x.along(q, axis, d, chooser, c.withEnds(d, q.Call.Type))
}

// along is the curve over these places.
func (x *Explorer) along(q CallQuestion, axis Axis, d *device.Profile, chooser *tuner.Chooser,
	places []float64) (Curve, error) {
	c := Curve{Axis: axis, At: places}
	list := chooser.Candidates()
	lines := make([]Line, len(list))
	for i, v := range list {
		lines[i] = Line{Name: v.String(), of: v}
	}
	for _, at := range c.At {
		stats, err := x.Stats(axis.move(q.Stream, at), int(d.Core.WarpLanes.Value))
		if err != nil {
			return Curve{}, err
		}
		times := make([]model.Prediction, len(lines))
		if err := chooser.Forecast(&stats, times); err != nil {
			return Curve{}, err
		}
		for i, v := range list {
			us := times[i].US
			if chooser.Told(v) { // which is not a choice
				us = math.Inf(1)
			}
			lines[i].US = append(lines[i].US, known(us))
		}
	}
	c.follow(lines)
	return c, nil
}

// withEnds adds the first and the last number of targets with which lines run to a curve's places, where one
// takes over.
func (c *Curve) withEnds(d *device.Profile, t device.Type) []float64 {
	places := slices.Clone(c.At)
	for _, l := range c.Lines {
		runs := func(targets float64) bool {
			return d.CanRun(l.of, t, uint64(targets)) == nil && l.of.Worthwhile(uint64(targets), t.Bytes())
		}
		for i, high := range c.At[1:] {
			low, begins := c.At[i], runs(high)
			taken := func(w Win) bool { return w.From >= low && w.From <= high }
			if runs(low) == begins || !slices.ContainsFunc(c.Wins[1:], taken) {
				continue
			}
			for high-low > 1 {
				if middle := math.Floor((low + high) / 2); runs(middle) == begins {
					high = middle
				} else {
					low = middle
				}
			}
			if begins {
				low = high
			}
			places = append(places, low)
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

func known(us float64) *float64 {
	if math.IsInf(us, 0) {
		return nil
	}
	return &us
}

// follow finds the stretches of the fastest, and keeps their lines and that of plain atomics.
func (c *Curve) follow(lines []Line) {
	leads := -1
	for i := range c.At {
		best := fastest(lines, i)
		switch {
		case best < 0 || leads >= 0 && within(lines[leads].US[i], *lines[best].US[i]):
			continue
		case leads < 0:
			c.Wins = append(c.Wins, lines[best].wins(c.At[i]))
		default:
			c.Wins = append(c.Wins, c.crossing(&lines[leads], &lines[best], i))
		}
		leads = best
	}
	for _, l := range lines {
		wins := func(w Win) bool { return w.Name == l.Name }
		if l.Name == "naive" || slices.ContainsFunc(c.Wins, wins) {
			c.Lines = append(c.Lines, l)
		}
	}
}

func (l *Line) wins(from float64) Win {
	return Win{l.Name, l.of.Kind().Title(), l.of.Class().String(), from}
}

// within reports whether a time lies within a tie of the least.
func within(us *float64, least float64) bool { return us != nil && *us <= least*(1+tie) }

// fastest is the line that is lowest at a place, -1 where none can run.
func fastest(lines []Line, at int) int {
	best := -1
	for i, l := range lines {
		if l.US[at] != nil && (best < 0 || *l.US[at] < *lines[best].US[at]) {
			best = i
		}
	}
	return best
}

// crossing is where the second line falls below the first, between the place before and this one:
// the logarithms of both times are taken to go straight. It is the place before where they are equal there or
// the first ends there, and this one where the second begins here.
func (c *Curve) crossing(first, second *Line, at int) Win {
	switch {
	case second.US[at-1] == nil:
		return second.wins(c.At[at])
	case first.US[at] == nil:
		return second.wins(c.At[at-1])
	}
	before := max(0, math.Log(*second.US[at-1] / *first.US[at-1]))
	after := math.Log(*second.US[at] / *first.US[at])
	return second.wins(c.Axis.between(c.At[at-1], c.At[at], before/(before-after)))
}

// Axis is a quantity along which a curve goes.
type Axis struct {
	Name  string  `json:"name"`
	Title string  `json:"title"`
	Unit  string  `json:"unit"` // behind a value
	Log   bool    `json:"log"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
	Step  float64 `json:"step"` // between places: a factor on a logarithmic axis
	of    func(Stream) float64
	set   func(*Stream, float64)
}

// Axes lists the quantities.
func Axes() []Axis {
	return []Axis{
		{"targets", "Targets (K)", "targets", true, 1, 1 << mostTargetsLog, 4,
			func(s Stream) float64 { return float64(s.Targets) },
			func(s *Stream, at float64) { s.Targets = uint64(at) }},
		{"skew", "Skew", "", false, 0, mostSkew, 0.25,
			func(s Stream) float64 { return s.Skew }, func(s *Stream, at float64) { s.Skew = at }},
		{"run", "Mean run length", "updates", true, 1, 1 << mostRunLog, 2,
			func(s Stream) float64 { return s.Run }, func(s *Stream, at float64) { s.Run = at }},
		{"updates", "Updates", "updates", true, 1 << leastUpdatesLog, 1 << mostUpdatesLog, 4,
			func(s Stream) float64 { return float64(s.Updates) },
			func(s *Stream, at float64) { s.Updates = uint64(at) }},
	}
}

func axisOf(name string) (Axis, error) {
	for _, a := range Axes() {
		if a.Name == name {
			return a, nil
		}
	}
	return Axis{}, fmt.Errorf("%w: axis %q", ErrQuestion, name)
}

// places lists where the curve of a stream is computed: at the axis's steps and at the stream, so
// that the curve has what the ranking says.
func (a Axis) places(of Stream) (list []float64) {
	for at := a.Least; at <= a.Most; {
		list = append(list, at)
		if a.Log {
			at *= a.Step
		} else {
			at += a.Step
		}
	}
	if i, found := slices.BinarySearch(list, a.of(of)); !found {
		list = slices.Insert(list, i, a.of(of))
	}
	return list
}

// between is the place at a share of the way between two places.
func (a Axis) between(low, high, share float64) float64 {
	if a.Log {
		return low * math.Pow(high/low, share)
	}
	return low + share*(high-low)
}

func (a Axis) move(s Stream, to float64) Stream {
	a.set(&s, to)
	return s
}
