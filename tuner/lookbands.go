package tuner

import "math"

// band is a share of a stream's runs that falls evenly on so many targets, or
// groups of neighbouring targets.
type band struct{ share, targets float64 }

// The ranks of a skewed kind are split where their number doubles, and from
// finely on where it is fourfold.
const finely = 64

// split returns the bands of the targets: the hot one, and the others.
func (d *drawing) split() []band {
	if d.skew == 0 {
		return []band{{d.hot, 1}, {1 - d.hot, d.targets}}
	}
	var bands []band
	sum := 0.0
	for first, next := 1.0, 0.0; first <= d.targets; first = next {
		if next = 2 * first; first >= finely {
			next = 4 * first
		}
		last := min(next-1, d.targets)
		b := band{d.weight(first, last), last - first + 1}
		bands, sum = append(bands, b), sum+b.share
	}
	for i := range bands {
		bands[i].share *= (1 - d.hot) / sum
	}
	return bands
}

// weight is about the sum of i^-skew over ranks, by the integral from half a
// rank before the first to half a rank behind the last.
func (d *drawing) weight(first, last float64) float64 {
	low, high := first-0.5, last+0.5
	switch {
	case first == last:
		return math.Pow(first, -d.skew)
	case d.skew == 1:
		return math.Log(high / low)
	}
	return (math.Pow(high, 1-d.skew) - math.Pow(low, 1-d.skew)) / (1 - d.skew)
}

// grouped returns the bands of groups of so many neighbouring targets.
func (d *drawing) grouped(elements float64) []band {
	if d.skew == 0 {
		g := d.inGroups(elements)
		cold := (1 - d.hot) / g
		return []band{{d.hot + cold, 1}, {(1 - d.hot) - cold, max(1, g-1)}}
	}
	var bands []band
	whole := band{} // those that fill one group
	for _, b := range d.bands {
		if whole.targets+1 < elements {
			whole.share, whole.targets = whole.share+b.share, whole.targets+b.targets
			continue
		}
		bands = append(bands, band{b.share, max(1, b.targets/elements)})
	}
	return append(bands, band{whole.share, max(1, whole.targets/elements)})
}

// different is the mean number of different targets, or groups, that so many runs
// meet: the sum of U · (1 - (1 - p/U)^m) over the bands, of share p on U of them,
// for m runs.
func different(runs float64, bands []band) float64 {
	sum := 0.0
	for _, b := range bands {
		sum -= b.targets * math.Expm1(runs*math.Log1p(-min(1, b.share/b.targets)))
	}
	return max(1, sum)
}

// same is the probability that two runs are of one target.
func same(bands []band) float64 {
	sum := 0.0
	for _, b := range bands {
		sum += b.share * b.share / b.targets
	}
	return sum
}
