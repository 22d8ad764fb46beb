package calibration

import "github.com/atomtune/atomtune/variant"

// groups collects weighted residuals by group and stream.
type groups [][]streamMean

// streamMean is the weighted mean residual of a group on one stream.
type streamMean struct{ sum, weight float64 }

func newGroups(n, streams int) groups {
	g := make(groups, n)
	for i := range g {
		g[i] = make([]streamMean, streams)
	}
	return g
}

func (g groups) add(group, stream int, y, weight float64) {
	m := &g[group][stream]
	m.sum += float64(weight * y)
	m.weight += weight
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
			if m.weight > 0 {
				list = append(list, m.sum/m.weight)
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
			g.add(0, p.stream, mean, 1)
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
				g.add(group(v), p.stream, m.off-mean-known[v], m.weight)
			}
		}
	}
	return g.shrunk()
}

// mean is the weighted mean of a point's residuals.
func (p *measuredPoint) mean() (float64, bool) {
	var sum, weight float64
	for _, m := range p.of {
		if m.measured() {
			sum += float64(m.weight * m.off)
			weight += m.weight
		}
	}
	return sum / weight, weight > 0
}
