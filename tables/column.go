package tables

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/synth"
)

// Arrangement says how the equal indices of a stream lie.
type Arrangement string

// The arrangements.
const (
	// Uniform: independent uniform targets; indices are equal by chance alone.
	Uniform Arrangement = "uniform"
	// Grouped: uniform targets in ascending order, each in one stretch.
	Grouped Arrangement = "grouped"
	// Clustered: runs of equal indices, each of another target, as in a smooth image.
	Clustered Arrangement = "clustered"
	// Scattered: equal indices stand among others, and which target is frequent
	// changes after about a thousand of its updates.
	Scattered Arrangement = "scattered"
	// Hot: equal indices stand among others, and one target is frequent through
	// the whole stream, as in a skewed histogram.
	Hot Arrangement = "hot"
)

// A Column is a kind of stream: an arrangement and, where that can be chosen, a level.
type Column struct {
	Arrangement Arrangement `json:"arrangement"`
	// Level is the intra-warp collision level, [egielski14] section 3.3, of the streams: in (0, 1],
	// or 0 for Uniform and Grouped, whose level follows from the number of targets.
	Level float64 `json:"level,omitempty"`
}

// String returns, for example, "uniform" or "hot 0.25".
func (c Column) String() string {
	if c.Level == 0 {
		return string(c.Arrangement)
	}
	return fmt.Sprintf("%s %g", c.Arrangement, c.Level)
}

var columns = func() []Column {
	list := []Column{{Arrangement: Uniform}, {Arrangement: Grouped}}
	for _, a := range []Arrangement{Clustered, Scattered, Hot} {
		for _, level := range []float64{0.125, 0.25, 0.5, 0.9} {
			list = append(list, Column{a, level})
		}
	}
	return list
}()

// persistence keeps the frequent target of a Scattered stream for 1,000 updates on average.
const persistence = 0.999

// steps divides the range of the share that makes a level.
const steps = 1000

// spec returns the stream of n updates of k targets whose share of equal neighbours (Clustered) or
// of updates of the frequent target (Scattered, Hot) is share/steps, 0 < share < steps.
func (c Column) spec(n int, k uint32, share int) (synth.Spec, error) {
	p := float64(share) / steps
	s := synth.Spec{N: n, K: k, Seed: 1}
	switch c.Arrangement {
	case Uniform:
		s.Family = "uniform"
	case Grouped:
		s.Family = "sorted"
	case Clustered:
		s.Family, s.Params = "markov", map[string]float64{"stay": p, "jump": 1, "w": 1}
	case Scattered:
		s.Family = "mixture"
		s.Parts = []synth.Part{
			{Family: "markov", Params: map[string]float64{"stay": persistence, "jump": 1, "w": 1}, Share: p},
			{Family: "uniform", Share: 1 - p},
		}
	case Hot:
		s.Family, s.Params = "hotspot", map[string]float64{"h": 1, "p": p}
	default:
		return s, fmt.Errorf("tables: no arrangement %q", c.Arrangement)
	}
	return s.Complete()
}

// The rows have 1 to 2^mostTargets targets, powers of 2^rowStep. Break-even
// points are sought among all numbers up to each, and from there on among the
// powers of 2^(1/fine), so that neighbours differ by less than 5 % or by one.
const (
	mostTargets = 24
	rowStep     = 2
	each        = 128
	fine        = 16
)

// fineTargets are the ascending numbers of targets among which break-even points are sought.
var fineTargets = func() (list []uint32) {
	for k := range uint32(each) {
		list = append(list, k+1)
	}
	for i := range mostTargets*fine + 1 {
		if k := uint32(math.Round(math.Exp2(float64(i) / fine))); k > each {
			list = append(list, k)
		}
	}
	return list
}()

var rowPlaces = func() (list []int) {
	for e := 0; e <= mostTargets; e += rowStep {
		place, _ := slices.BinarySearch(fineTargets, 1<<e)
		list = append(list, place)
	}
	return list
}()
