package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/chart"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner/sensitivity"
)

// short prints a round number of an axis: 20k, 5M, and small ones in full.
func short(v float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"G", 1e9}, {"M", 1e6}, {"k", 1e3}} {
		if math.Abs(v) >= unit.size && (unit.size > 1e3 || math.Abs(v) >= 1e4) {
			return strconv.FormatFloat(v/unit.size, 'g', 4, 64) + unit.name
		}
	}
	if math.Abs(v) >= 1000 {
		return report.Count(uint64(v))
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// logarithmic returns a scale that holds values from low to high, and is wider than a factor.
func logarithmic(low, high, least float64) chart.Log {
	return chart.Log{Low: low, High: max(high, least*low)}
}

// rankChart shows the updates of targets by their rank.
func (d *Document) rankChart(id string) chart.Plot {
	p, s := &d.Pictures, d.Stream.Stats
	line := chart.Line{Class: "s1"}
	low, high := math.Inf(1), 0.0
	for _, r := range p.Ranks {
		line.Points = append(line.Points, chart.Point{X: float64(r.Rank), Y: r.Updates})
		low, high = min(low, r.Updates), max(high, r.Updates)
	}
	c := chart.Plot{ID: id, Title: "Updates of each target, by its rank", Description: d.rankWords(),
		X: chart.Axis{Title: "rank of the target", Label: short,
			Scale: logarithmic(1, float64(s.Unique), 2)},
		Y: chart.Axis{Title: "updates", Label: short, Scale: logarithmic(power(low), high, 10)},
	}
	if len(p.Ranks) == 0 {
		c.Y.Scale = logarithmic(1, 10, 10)
		return c
	}
	c.Lines, c.Level = []chart.Line{line}, &s.AllLevel
	const few = 16
	if len(p.Ranks) <= few {
		c.Dots = line.Points
	}
	return c
}

func power(v float64) float64 { return math.Pow10(int(math.Floor(math.Log10(v) + 1e-9))) }

// courseChart shows the conflict degree along the stream.
func (d *Document) courseChart(id string) chart.Plot {
	list := d.Pictures.Course
	line, high := chart.Line{Class: "s1"}, 2.0
	c := chart.Plot{ID: id, Title: "Conflict degree along the stream",
		Description: d.courseWords(),
		X: chart.Axis{Title: "update", Label: short,
			Scale: chart.Linear{High: float64(max(d.Stream.Positions(), 2))}},
		Y: chart.Axis{Title: "lanes on the warp's most frequent target", Label: short}}
	for i, s := range list {
		from, to := float64(s.First), float64(d.Stream.Positions())
		if i+1 < len(list) {
			to = float64(list[i+1].First)
		}
		for _, x := range []float64{from, to} {
			c.Area = append(c.Area, chart.Band{X: x, Low: float64(s.Least), High: float64(s.Most)})
			line.Points = append(line.Points, chart.Point{X: x, Y: s.Mean})
		}
		high = max(high, float64(s.Most))
	}
	c.Y.Scale, c.Lines = chart.Linear{High: high}, []chart.Line{line}
	return c
}

// distinctChart shows how many warps have how many different targets.
func (d *Document) distinctChart(id string) chart.Plot {
	list := d.Pictures.Distinct
	warps, high, low := total(list), 0.0, 0.4
	if list[0] > 0 { // warps without an update
		low = -0.6
	}
	c := chart.Plot{ID: id, Title: "Different targets in a warp", Description: d.distinctWords(),
		X: chart.Axis{Title: "different targets in a warp", Label: short,
			Scale: chart.Linear{Low: low, High: float64(len(list)) - 0.4}},
		Y: chart.Axis{Title: "share of the warps", Label: func(v float64) string { return short(v) + " %" }}}
	for targets, n := range list {
		if share := 100 * float64(n) / float64(warps); share > 0 {
			x := float64(targets)
			c.Bars = append(c.Bars, chart.Bar{From: x - 0.4, To: x + 0.4, Y: share})
			high = max(high, share)
		}
	}
	c.Y.Scale = chart.Linear{High: high}
	return c
}

func total(list []uint64) (sum uint64) {
	for _, n := range list {
		sum += n
	}
	return sum
}

// floorChart shows the time of every implementation over the floor.
func (d *Document) floorChart(id string) chart.Rows {
	floor := d.Floor.US
	c := chart.Rows{ID: id, Title: "Predicted time over the floor, of every implementation",
		Description: d.floorWords(), Origin: 1,
		Axis: chart.Axis{Title: "time over the floor", Label: func(v float64) string { return short(v) + "×" }}}
	low, high := 1.0, 2.0
	for i, r := range d.Ranking {
		row := chart.Row{Name: r.Implementation.String(), Chosen: i == 0, Value: r.PredictedUS / floor,
			Note: fmt.Sprintf("%s us · %s", report.Number(r.PredictedUS), r.Binding)}
		if r.LowUS != nil {
			row.Low, row.High = *r.LowUS/floor, *r.HighUS/floor
			low = min(low, row.Low)
		}
		if low = min(low, row.Value); !r.Implementation.OnHost() { // whose time would stretch the axis
			high = max(high, row.Value, row.High)
		}
		if i == 0 {
			row.Name += " ◂ choice"
		}
		c.Rows = append(c.Rows, row)
	}
	c.Axis.Scale = chart.Log{Low: low, High: high}
	return c
}

// sweepChart shows the times of kinds along a sweep.
func (d *Document) sweepChart(id string, s *sweep) chart.Plot {
	c := chart.Plot{ID: id, Title: "Predicted time by " + quantities[s.Quantity].title,
		Description: s.InWords + " " + s.Held, X: s.axis(),
		Y: chart.Axis{Title: "predicted time (us)", Label: short}, Marks: []chart.Mark{{Name: "this stream",
			X: s.At}}}
	low, high := math.Inf(1), 0.0
	for _, l := range s.Lines {
		line := chart.Line{Class: d.class(l.Kind)}
		for j, us := range l.US {
			p := chart.Point{X: s.Places[j], Y: math.NaN()}
			if us != nil {
				p.Y = *us
				low, high = min(low, *us), max(high, *us)
			}
			line.Points = append(line.Points, p)
		}
		c.Lines = append(c.Lines, line)
	}
	c.Y.Scale = logarithmic(low*0.9, high*1.1, 10)
	from := s.Places[0]
	for i, b := range s.BreakEvens {
		c.Spans = append(c.Spans, d.span(b.Below, from, b.First))
		from = b.First
		c.Dots = append(c.Dots, s.dot(i))
	}
	last := s.Winner
	if n := len(s.BreakEvens); n > 0 {
		last = s.BreakEvens[n-1].Above
	}
	c.Spans = append(c.Spans, d.span(last, from, s.Places[len(s.Places)-1]))
	return c
}

// dot is a break-even point on the line of the kind that wins behind it.
func (s *sweep) dot(i int) chart.Point {
	b := s.BreakEvens[i]
	at := slices.Index(s.Places, b.First)
	for _, l := range s.Lines {
		if l.Kind == b.Above && l.US[at] != nil {
			return chart.Point{X: b.First, Y: *l.US[at]}
		}
	}
	return chart.Point{X: b.First, Y: math.NaN()}
}

// span is the stretch on which a kind wins.
func (d *Document) span(kind impl.Spec, from, to float64) chart.Span {
	return chart.Span{Class: d.class(kind), Name: kind.Title(), Short: kind.String(), From: from, To: to}
}

// class is the class of a kind's line, the same in all pictures of a stream; plain atomics stand apart.
func (d *Document) class(kind impl.Spec) string {
	if kind.IsNaive() {
		return "s0"
	}
	var kinds []impl.Spec
	for _, s := range d.Sweeps {
		for _, l := range s.Lines {
			if !l.Kind.IsNaive() && !slices.Contains(kinds, l.Kind) {
				kinds = append(kinds, l.Kind)
			}
		}
	}
	return "s" + strconv.Itoa(1+slices.Index(kinds, kind)%seriesCount)
}

const seriesCount = 6 // beside that of plain atomics

func (s *sweep) axis() chart.Axis {
	a := chart.Axis{Title: quantities[s.Quantity].axis, Label: short}
	low, high := s.Places[0], s.Places[len(s.Places)-1]
	if s.Quantity != sensitivity.Contention {
		a.Scale = logarithmic(low, high, 2)
		return a
	}
	least := high
	for _, v := range s.Places {
		if v > 0 {
			least = min(least, v)
		}
	}
	a.Scale = chart.Shares{Least: least}
	a.Label = func(v float64) string {
		return strings.TrimSuffix(percent(math.Abs(v)), " %") + "%"
	}
	return a
}
