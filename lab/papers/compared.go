package papers

import (
	"fmt"
	"math"
	"strings"

	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/lab/plot"
)

// Off is how far ours are from the numbers of a paper, in percent of these: |ours/paper - 1|, of
// the end further away where ours is an interval. Limits and readings of ours do not count.
type Off struct {
	Numbers int     `json:"numbers"`
	Median  float64 `json:"median_percent"`
	Most    float64 `json:"most_percent"`
	Worst   string  `json:"worst"` // the item of Most
}

// OffOf sums up the rows.
func OffOf(rows []Row) Off {
	var (
		o   Off
		all []float64
	)
	for _, r := range rows {
		paper, low, high, ok := r.numbers()
		if !ok || r.limit || r.Status == Reading {
			continue
		}
		off := 100 * math.Max(math.Abs(low/paper-1), math.Abs(high/paper-1))
		if o.Worst == "" || off > o.Most {
			o.Most, o.Worst = off, r.Item
		}
		all = append(all, off)
	}
	if o.Numbers = len(all); o.Numbers > 0 {
		o.Median = quantile.Of(all, 0.5)
	}
	return o
}

// numbers are the paper's and ours, which is an interval, where both are numbers and the paper's is
// not zero.
func (r Row) numbers() (paper, low, high float64, ok bool) {
	paper, stated := r.PaperValue.Float()
	low, high, ok = r.Ours.span()
	return paper, low, high, ok && stated && paper != 0
}

// numberSeries are the series of NumbersPage, of limits and of other numbers by their status.
var numberSeries = []struct {
	name  string
	holds func(r Row) bool
}{
	{"enforced", func(r Row) bool { return r.Status == Enforced && !r.limit }},
	{"known gap", func(r Row) bool { return r.Status == KnownGap && !r.limit }},
	{"our reading", func(r Row) bool { return r.Status == Reading && !r.limit }},
	{"limit, to stay below", func(r Row) bool { return r.limit }},
}

// NumbersPage draws ours over the paper's numbers, each in its own unit, as far as both are above
// zero: those of intervals as error bars. It has no panels if there are none.
func NumbersPage(paper string, rows []Row) plot.Page {
	panel := plot.Figure{XLabel: "number of the paper, in its unit", YLabel: "ours, in the same unit",
		XLog: true, YLog: true}
	var all []float64
	for _, s := range numberSeries {
		line := plot.Line{Name: s.name, Style: plot.Markers}
		for _, r := range rows {
			stated, low, high, ok := r.numbers()
			if !ok || !s.holds(r) || stated <= 0 || low <= 0 {
				continue
			}
			line.X, line.Y = append(line.X, stated), append(line.Y, math.Sqrt(low*high))
			line.Low, line.High = append(line.Low, low), append(line.High, high)
		}
		if len(line.X) > 0 {
			panel.Lines, all = append(panel.Lines, line), append(all, line.X...)
		}
	}
	if len(all) == 0 {
		return plot.Page{}
	}
	least, most := quantile.Of(all, 0), quantile.Of(all, 1)
	ends := []float64{least, most}
	panel.Lines = append([]plot.Line{{Name: "as the paper has it", X: ends, Y: ends,
		Style: plot.Reference}}, panel.Lines...)
	return plot.Page{
		Title:  fmt.Sprintf("%d numbers that %s gives, and ours", len(all), paper),
		Panels: []plot.Panel{panel}, Height: 560,
	}
}

// Summary says how many statements hold by their status, and how far off their numbers are.
type Summary struct {
	Statements int `json:"statements"`
	Hold       int `json:"hold"`
	Off        Off `json:"off"`
}

// SummaryOf sums up the rows, without readings of ours.
func SummaryOf(rows []Row) Summary {
	s := Summary{Off: OffOf(rows)}
	for _, r := range rows {
		s.Statements += One(r.Status != Reading)
		s.Hold += One(r.Status != Reading && r.Status != KnownGap)
	}
	return s
}

func (s Summary) String() string {
	parts := []string{fmt.Sprintf("%d of %d statements hold", s.Hold, s.Statements)}
	switch o := s.Off; {
	case o.Numbers == 1:
		parts = append(parts, fmt.Sprintf("one number, %s off", percent(o.Most)))
	case o.Numbers > 1 && o.Most == 0:
		parts = append(parts, fmt.Sprintf("%d numbers, none off", o.Numbers))
	case o.Numbers > 1:
		_, worst, _ := strings.Cut(o.Worst, ": ")
		parts = append(parts, fmt.Sprintf("%d numbers, %s off in the median and %s at most (%s)", o.Numbers,
			percent(o.Median), percent(o.Most), worst))
	}
	return strings.Join(parts, "; ")
}

// percent prints two digits, or whole percent from 10 on.
func percent(v float64) string {
	switch {
	case v >= 10:
		return Thousands(int(math.Round(v))) + " %"
	case math.Abs(v) < 1e-9:
		return "0 %"
	}
	return fmt.Sprintf("%.2g %%", v)
}
