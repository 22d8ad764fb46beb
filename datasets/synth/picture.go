package synth

import (
	"math"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// picture scans a square of about √n pixels a side, row by row. The field is
// value noise: a random number in [0, 1) on each point of a lattice of the
// given scale, joined by smooth interpolation.
func picture(dst []uint32, s Spec, r *Rand) {
	scale, noise := s.Params["scale"], s.Params["noise"]
	f := field{seed: r.Uint64(), scale: scale}
	width := int(math.Ceil(math.Sqrt(float64(len(dst)))))
	for i := range dst {
		v := f.at(float64(i%width), float64(i/width))
		if noise > 0 {
			v += float64(noise * (r.Float64() - 0.5))
		}
		level := math.Floor(float64(v * float64(s.K)))
		dst[i] = uint32(max(0, min(level, float64(s.K)-1)))
	}
}

type field struct {
	seed  uint64
	scale float64
}

func (f field) at(x, y float64) float64 {
	x, y = x/f.scale, y/f.scale
	column, row := math.Floor(x), math.Floor(y)
	u, v := ease(x-column), ease(y-row)
	i, j := uint64(column), uint64(row)
	upper := between(f.lattice(i, j), f.lattice(i+1, j), u)
	lower := between(f.lattice(i, j+1), f.lattice(i+1, j+1), u)
	return between(upper, lower, v)
}

// lattice returns the random number of a lattice point.
func (f field) lattice(i, j uint64) float64 {
	return float64(float64(splitmix.Mix(splitmix.Mix(f.seed+i*splitmix.Golden)+j*splitmix.Golden)>>11) / (1 << 53))
}

// between goes from a to b as t goes from 0 to 1.
func between(a, b, t float64) float64 { return a + float64(t*(b-a)) }

// ease is 3t² - 2t³, flat at both ends.
func ease(t float64) float64 { return float64(t*t) * (3 - float64(2*t)) }
