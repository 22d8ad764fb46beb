package locks

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/internal/strictjson"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// correctionsFile holds what trees say of the families that they have not seen: growing them
// takes long. ATOMTUNE_UPDATE_GOLDEN=1 with the tests makes it anew where it
// is not of the embedded models.
const correctionsFile = "corrections.jsonl.gz"

//go:embed corrections.jsonl.gz
var correctionsText []byte

// correctionLine is a line of the file: ln(predicted/closed form) by a tree that has not seen the
// family, for each point at which the implementation was simulated, in their order.
type correctionLine struct {
	Device         string          `json:"device"`
	Implementation variant.Variant `json:"implementation"`
	Values         []float64       `json:"values"`
}

// corrections are the values of implementations.
type corrections map[variant.Variant][]float64

// correctionSteps says in how many steps of one a correction is rounded.
const correctionSteps = 1e5

// mostCorrectionBytes bounds what the file may unpack to.
const mostCorrectionBytes = 16 << 20

// encodeCorrections writes the corrections of sweeps, each by variant and sample.
func encodeCorrections(of []*sweep, by [][][]float64) ([]byte, error) {
	var lines bytes.Buffer
	for k, s := range of {
		for v, name := range s.Variants {
			line := correctionLine{Device: s.device, Implementation: name}
			for i := range s.Samples {
				if s.Samples[i].Has(v) {
					line.Values = append(line.Values, math.Round(by[k][v][i]*correctionSteps)/correctionSteps)
				}
			}
			if len(line.Values) == 0 {
				continue
			}
			if err := strictjson.Append(&lines, line); err != nil {
				return nil, err
			}
		}
	}
	return gzipped.Pack(lines.Bytes())
}

// decodeCorrections reads what encodeCorrections wrote, by device. Errors name file and line.
func decodeCorrections(name string, data []byte) (map[string]corrections, error) {
	data, _, err := gzipped.Unpack(data, mostCorrectionBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	all, number := map[string]corrections{}, 0
	for text := range bytes.Lines(data) {
		number++
		var line correctionLine
		if err := strictjson.Decode(text, &line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if all[line.Device] == nil {
			all[line.Device] = corrections{}
		}
		if _, twice := all[line.Device][line.Implementation]; twice {
			return nil, fmt.Errorf("%s:%d: %s stands twice", name, number, line.Implementation)
		}
		all[line.Device][line.Implementation] = line.Values
	}
	return all, nil
}

// aligned returns corrections by variant and sample, 0 where nothing was simulated.
func (s *sweep) aligned(c corrections) ([][]float64, error) {
	by := make([][]float64, len(s.Variants))
	for v, name := range s.Variants {
		by[v] = make([]float64, len(s.Samples))
		values := c[name]
		for i := range s.Samples {
			if !s.Samples[i].Has(v) {
				continue
			}
			if len(values) == 0 {
				return nil, fmt.Errorf("%s: too few corrections of %s on %s", correctionsFile, name, s.device)
			}
			by[v][i], values = values[0], values[1:]
		}
		if len(values) > 0 {
			return nil, fmt.Errorf("%s: %d corrections too many of %s on %s", correctionsFile, len(values),
				name, s.device)
		}
	}
	return by, nil
}

// stale counts the figures that differ from those that the embedded model holds of its own
// training: for each implementation the errors of its closed form and of trees on families held
// out, and for all what choices lose.
func (s *sweep) stale(by [][]float64) (count int) {
	differs := func(a, b float64) {
		if !(math.Abs(a-b) <= 5e-5) { // rounding a correction may alter a choice between equals
			count++
		}
	}
	for _, c := range s.choices(by) {
		own := s.model.Evaluation.ClosedForm
		if c.Rule == withTrees {
			own = s.model.Evaluation.FamilyOut
		}
		differs(float64(c.Points), float64(own.Points))
		differs(c.GeometricMean, own.GeometricMean)
	}
	for v, name := range s.Variants {
		own := s.model.Find(name)
		if own == nil {
			continue
		}
		closed, trees := s.score(v, make([]float64, len(s.Samples))), s.score(v, by[v])
		differs(closed.RMSE, own.ClosedForm.RMSE)
		differs(closed.Bias, own.ClosedForm.Bias)
		differs(trees.RMSE, own.FamilyOut.RMSE)
		differs(trees.Bias, own.FamilyOut.Bias)
		differs(trees.P90, own.FamilyOut.P90)
	}
	return count
}

// score measures corrections of a variant as a model states it.
func (s *sweep) score(v int, by []float64) model.Score {
	var n, squares, sum float64
	var size []float64
	for i := range s.Samples {
		if one := &s.Samples[i]; one.Has(v) {
			off := by[i] - one.Target[v]
			n++
			sum += off
			squares += float64(off * off)
			size = append(size, math.Abs(off))
		}
	}
	return model.Score{RMSE: math.Sqrt(squares / n), Bias: sum / n, P90: quantile.Of(size, 0.9)}
}
