package calibration

import (
	"math"

	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// groups collects residuals by group and stream.
type groups [][]streamMean

// streamMean is the mean residual of a group on one stream.
type streamMean struct{ sum, count float64 }

func newGroups(n, streams int) groups {
	g := make(groups, n)
	for i := range g {
		g[i] = make([]streamMean, streams)
	}
	return g
}

func (g groups) add(group, stream int, y float64) {
	m := &g[group][stream]
	m.sum += y
	m.count++
}

// shrunk returns, for each group, the mean over its n streams, shrunk towards 0 by the
// positive-part James-Stein estimator [efron73],
//
//	mean · n / (n + σ²/τ²),  τ² = max(0, Σ (mean² - σ²/n) / groups),
//
// with σ² the pooled variance between the streams of a group. It is 0 for a group without a
// stream, and for all where no group has two.
func (g groups) shrunk() []float64 {
	means, n := make([]float64, len(g)), make([]float64, len(g))
	var squares, freedom, count float64
	for i := range g {
		var list []float64
		for _, m := range g[i] {
			if m.count > 0 {
				list = append(list, m.sum/m.count)
			}
		}
		if n[i] = float64(len(list)); n[i] == 0 {
			continue
		}
		for _, y := range list {
			means[i] += y / n[i]
		}
		for _, y := range list {
			squares += float64((y - means[i]) * (y - means[i]))
		}
		freedom += n[i] - 1
		count++
	}
	within, between := squares/freedom, 0.0
	for i := range g {
		if n[i] > 0 {
			between += float64(means[i]*means[i]) - within/n[i]
		}
	}
	between = max(0, between/count)
	for i := range g {
		if n[i] > 0 && between > 0 && freedom > 0 {
			means[i] *= n[i] / (n[i] + within/between)
		} else {
			means[i] = 0
		}
	}
	return means
}

// offsets returns the root's values: what all implementations have in common, and the
// deviation of each.
func (t *measured) offsets(rows []int) (common float64, own []float64) {
	g := newGroups(1, t.streams)
	for _, i := range rows {
		p := &t.points[i]
		if mean, ok := p.mean(); ok {
			g.add(0, p.stream, mean)
		}
	}
	common = g.shrunk()[0]
	site := t.deviations(rows, variant.SiteCount,
		func(v int) int { return int(t.variants[v].Site()) }, make([]float64, len(t.variants)))
	known := make([]float64, len(t.variants))
	for v := range known {
		known[v] = site[t.variants[v].Site()]
	}
	for v, more := range t.deviations(rows, len(t.variants), func(v int) int { return v }, known) {
		known[v] += more
	}
	return common, known
}

// deviations returns the shrunk means by group of the residuals about their point's mean,
// less what is known.
func (t *measured) deviations(rows []int, n int, group func(v int) int, known []float64) []float64 {
	g := newGroups(n, t.streams)
	for _, i := range rows {
		p := &t.points[i]
		mean, ok := p.mean()
		for v, m := range p.of {
			if ok && m.measured() {
				g.add(group(v), p.stream, m.off-mean-known[v])
			}
		}
	}
	return g.shrunk()
}

// mean is the mean of a point's residuals.
func (p *measuredPoint) mean() (float64, bool) {
	var sum, count float64
	for _, m := range p.of {
		if m.measured() {
			sum += m.off
			count++
		}
	}
	return sum / count, count > 0
}

// Offset is the correction of one implementation by measured points: a factor of its time.
type Offset struct {
	Implementation variant.Variant `json:"implementation"`
	Factor         float64         `json:"factor"`  // geometric mean over the points
	Lowest         float64         `json:"lowest"`  // of the points
	Highest        float64         `json:"highest"` // of the points
}

// Offsets lists the corrections that a model's forest makes on points, at least one, before the
// order of times is kept: see model.Calibration.
func Offsets(m *model.Model, points []Measured) []Offset {
	n := len(m.Implementations)
	list, sum, logs := make([]Offset, n), make([]float64, n), make([]float64, n)
	names := make([]variant.Variant, n)
	for i := range list {
		names[i] = m.Implementations[i].Name
		list[i] = Offset{names[i], 1, math.Inf(1), 0}
	}
	var places []int
	if m.Forest != nil {
		places = m.Forest.Columns(names)
	}
	for p := range points {
		if m.Forest != nil {
			var x model.Vector
			x.Fill(&points[p].Stats, points[p].Call)
			m.Forest.Corrections(x[:], places, logs)
		}
		for i, log := range logs {
			sum[i] += log
			o, factor := &list[i], portable.Exp(log)
			o.Lowest, o.Highest = min(o.Lowest, factor), max(o.Highest, factor)
		}
	}
	for i := range list {
		list[i].Factor = portable.Exp(sum[i] / float64(len(points)))
	}
	return list
}
