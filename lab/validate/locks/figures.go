package locks

import (
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/quantile"
)

// An Error says how predicted times lie to simulated ones. The error of a call is
// |predicted/simulated - 1|.
type Error struct {
	MedianPercent float64 `json:"median_error_percent"`
	P90Percent    float64 `json:"p90_error_percent"`
	// LargestFactor is the largest of predicted/simulated and simulated/predicted, and Bias the
	// geometric mean of predicted/simulated.
	LargestFactor float64 `json:"largest_factor"`
	Bias          float64 `json:"bias"`
	Status        string  `json:"status"` // of its checks: Enforced, KnownGap or Failed
}

// errorOf sums up ln(simulated/predicted) of calls, of which there is one at least.
func errorOf(logs []float64) Error {
	size, sum, most := make([]float64, len(logs)), 0.0, 0.0
	for i, l := range logs {
		size[i] = math.Abs(math.Expm1(-l))
		sum -= l
		most = max(most, math.Abs(l))
	}
	return Error{MedianPercent: 100 * quantile.Of(size, 0.5), P90Percent: 100 * quantile.Of(size, 0.9),
		LargestFactor: math.Exp(most), Bias: math.Exp(sum / float64(len(logs)))}
}

// Parts says what the logarithm of a factor consists of, over the calls of a row. Its mean
// square, RMS², is split by the number of other warps of a block that hold the target of a mean
// update, rounded to classes c with shares p_c of the calls and means m_c around the mean m of
// all:
//
//	RMS² = m² + Σ_c p_c·(m_c - m)² + rest
//
// The first part is a factor common to all calls, the second follows how often warps conflict,
// and the rest other properties of the streams.
type Parts struct {
	RMS     float64 `json:"rms"`
	Factor  float64 `json:"factor"`  // geometric mean, exp(m)
	Spread  float64 `json:"spread"`  // standard deviation of the logarithm
	Apart   float64 `json:"apart"`   // geometric mean where fewer than one other warp holds a target
	Sharing float64 `json:"sharing"` // where one or more do; 1 without such calls
	// Of the mean square, in percent, what is a common factor and what follows the number of
	// warps that hold a target.
	FactorPercent float64 `json:"factor_percent"`
	WarpsPercent  float64 `json:"warps_percent"`
	// Mostly names the largest of the three parts, or says that there is nearly nothing.
	Mostly string `json:"mostly"`
}

// What Parts.Mostly says.
const (
	Nothing    = "nearly nothing" // RMS below nearlyNothing
	OneFactor  = "one factor"
	Conflicts  = "warps that share"
	TheStreams = "the stream"
)

// nearlyNothing is a root mean square of ln below which parts are not told apart.
const nearlyNothing = 0.05

// partsOf splits logarithms of calls, others being the numbers of other warps.
func partsOf(logs, others []float64) (p Parts) {
	type class struct{ n, sum float64 }
	classes, sides := map[int]class{}, [2]class{}
	var all class
	squares := 0.0
	for i, l := range logs {
		side := 0
		if others[i] >= 1 {
			side = 1
		}
		at := int(math.Round(others[i]))
		c := classes[at]
		for _, c := range []*class{&c, &sides[side], &all} {
			c.n++
			c.sum += l
		}
		classes[at] = c
		squares += l * l
	}
	mean := func(c class) float64 { return c.sum / max(1, c.n) }
	m, square := mean(all), squares/max(1, all.n)
	between := 0.0
	for _, c := range classes {
		off := mean(c) - m
		between += c.n / all.n * (off * off)
	}
	p = Parts{RMS: math.Sqrt(square), Factor: math.Exp(m),
		Spread: math.Sqrt(max(0, square-m*m)),
		Apart:  math.Exp(mean(sides[0])), Sharing: math.Exp(mean(sides[1])), Mostly: Nothing}
	if square > 0 {
		p.FactorPercent, p.WarpsPercent = 100*(m*m)/square, 100*between/square
	}
	rest := 100 - p.FactorPercent - p.WarpsPercent
	switch {
	case p.RMS < nearlyNothing:
	case p.FactorPercent >= max(p.WarpsPercent, rest):
		p.Mostly = OneFactor
	case p.WarpsPercent >= rest:
		p.Mostly = Conflicts
	default:
		p.Mostly = TheStreams
	}
	return p
}

// otherWarps is the number of other warps of a block that hold the target of a mean update: in a
// block of W warps a target that occurs is held by W·DistinctPerWarp/DistinctPerBlock of them.
func otherWarps(s *collision.Stats) float64 {
	warps := float64(s.BlockSize) / float64(s.WarpSize)
	return warps*s.DistinctPerWarp/s.DistinctPerBlock - 1
}
