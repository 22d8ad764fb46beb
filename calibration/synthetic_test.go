package calibration

import (
	"math/rand/v2"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/latency"
)

// synthNoise is what stands between constants and measurements of them.
type synthNoise struct {
	Relative float64 // standard deviation, as a fraction of the cycles
	Outliers float64 // fraction of the rows that are 1.5 to 10 times as long, or as short
}

// synthScratchpad makes measurements of known parameters: what a fit of them gives shows what the
// patterns can tell. Errors wrap latency.ErrPattern or latency.ErrParams.
func synthScratchpad(p latency.Params, all []patterns.Pattern, n synthNoise,
	seed uint64) (*patterns.Measurements, error) {
	model, err := latency.NewModel(p)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	m := &patterns.Measurements{Lanes: p.Lanes, Patterns: all,
		Columns: []patterns.Column{{Name: "cycles"}}}
	for i, pattern := range all {
		cycles, err := model.Cycles(pattern)
		if err != nil {
			return nil, err
		}
		m.Columns[0].Cycles = append(m.Columns[0].Cycles, cycles*n.factor(rng))
		m.Lines = append(m.Lines, i+1)
	}
	return m, nil
}

func (n synthNoise) factor(rng *rand.Rand) float64 {
	factor := 1 + n.Relative*rng.NormFloat64()
	if rng.Float64() < n.Outliers {
		outlier := 1.5 + 8.5*rng.Float64()
		if rng.IntN(2) == 0 {
			outlier = 1 / outlier
		}
		factor *= outlier
	}
	return max(factor, 0.01)
}
