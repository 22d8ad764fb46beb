package gomezluna13

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/atomtune/atomtune/lab/papers"
)

// The shape of generated images. A leaf's radius has the density 1/r³ that
// makes images look alike at every scale [lee01]; the spread of the logarithm
// of the intensity is that of photographs in daylight, roughly.
const (
	smallestLeaf = 4.0   // pixels
	contrast     = 0.6   // standard deviation of the logarithm of the intensity
	textured     = 0.2   // spread of the texture on a leaf over that between leaves
	coarsest     = 64    // pixels: scale of the coarsest texture
	saturated    = 0.001 // share of the pixels
	sensorNoise  = 8.0   // levels
)

// NaturalImage generates a monochrome image of 12 bits whose neighbouring
// pixels are correlated as those of photographs, in place of the database of
// [vanhateren98]: opaque discs of all sizes that hide each other, the dead
// leaves of [lee01], with a texture whose amplitude falls as one over the
// frequency [field87], logarithms of intensity, exposed so that a few pixels
// saturate. Width and height are at least 1.
func NaturalImage(seed uint64, width, height int) papers.Image {
	if width < 1 || height < 1 {
		panic(fmt.Sprintf("reproduce: an image of %d x %d pixels", width, height))
	}
	s := scene{rng: rand.New(rand.NewPCG(seed, 0x1ea7e5)), width: width, height: height}
	s.light = s.leaves()
	texture := s.texture()
	standardize(texture)
	for i := range s.light {
		s.light[i] += textured * texture[i]
	}
	standardize(s.light)
	return papers.Image{Name: fmt.Sprintf("generated %d", seed), Pixels: s.expose()}
}

type scene struct {
	rng           *rand.Rand
	width, height int
	light         []float64 // logarithm of the intensity of each pixel
}

// leaves drops discs behind each other until no pixel is left to be seen.
func (s *scene) leaves() []float64 {
	light := make([]float64, s.width*s.height)
	for i := range light {
		light[i] = math.NaN()
	}
	largest := math.Max(2*smallestLeaf, float64(max(s.width, s.height))/2)
	for left := len(light); left > 0; {
		few, many := 1/(largest*largest), 1/(smallestLeaf*smallestLeaf)
		r := 1 / math.Sqrt(many+s.rng.Float64()*(few-many))
		x := s.rng.Float64()*(float64(s.width)+2*largest) - largest
		y := s.rng.Float64()*(float64(s.height)+2*largest) - largest
		left -= s.drop(light, x, y, r, s.rng.NormFloat64())
	}
	return light
}

// drop colours the pixels of a disc that are still free, and counts them.
func (s *scene) drop(light []float64, x, y, r, shade float64) (covered int) {
	for row := max(0, int(math.Ceil(y-r))); row <= min(s.height-1, int(math.Floor(y+r))); row++ {
		half := math.Sqrt(r*r - (float64(row)-y)*(float64(row)-y))
		for column := max(0, int(math.Ceil(x-half))); column <= min(s.width-1,
			int(math.Floor(x+half))); column++ {
			if at := &light[row*s.width+column]; math.IsNaN(*at) {
				*at = shade
				covered++
			}
		}
	}
	return covered
}

// texture sums noise of the same strength on lattices of 2, 4, 8 and so on
// pixels: equal energy in each octave of the frequency.
func (s *scene) texture() []float64 {
	sum := make([]float64, s.width*s.height)
	for scale := 2; scale <= coarsest; scale *= 2 {
		columns := s.width/scale + 2
		lattice := make([]float64, columns*(s.height/scale+2))
		for i := range lattice {
			lattice[i] = s.rng.NormFloat64()
		}
		eased := papers.List(scale, func(part int) float64 { return ease(part, scale) })
		for y := range s.height {
			row, v := sum[y*s.width:][:s.width], eased[y%scale]
			upper, lower := lattice[y/scale*columns:], lattice[(y/scale+1)*columns:]
			for x := range row {
				at, u := x/scale, eased[x%scale]
				up := upper[at] + u*(upper[at+1]-upper[at])
				low := lower[at] + u*(lower[at+1]-lower[at])
				row[x] += up + v*(low-up)
			}
		}
	}
	return sum
}

// ease goes smoothly from 0 to 1 over a lattice's step.
func ease(part, whole int) float64 {
	t := float64(part) / float64(whole)
	return t * t * (3 - 2*t)
}

// standardize gives values mean 0 and standard deviation 1, if they differ.
func standardize(all []float64) {
	n := float64(len(all))
	mean, square := 0.0, 0.0
	for _, v := range all {
		mean += v / n
	}
	for _, v := range all {
		square += (v - mean) * (v - mean) / n
	}
	for i := range all {
		all[i] = (all[i] - mean) / math.Max(math.Sqrt(square), 1e-9)
	}
}

// expose turns light into pixels with the noise of a sensor.
func (s *scene) expose() []uint32 {
	white := smallest(slices.Clone(s.light), int(float64(len(s.light)-1)*(1-saturated)))
	pixels := make([]uint32, len(s.light))
	for i, v := range s.light {
		level := papers.ImageLevels*math.Exp(contrast*(v-white)) + sensorNoise*s.rng.NormFloat64()
		pixels[i] = uint32(math.Max(0, math.Min(level, papers.ImageLevels-1)))
	}
	return pixels
}

// smallest is the value before which so many others are in ascending order. It moves the values:
// around a pivot, and then those of the part in which the place is.
func smallest(all []float64, place int) float64 {
	for first, last := 0, len(all)-1; first < last; {
		pivot, i, j := all[(first+last)/2], first, last
		for i <= j {
			for all[i] < pivot {
				i++
			}
			for all[j] > pivot {
				j--
			}
			if i <= j {
				all[i], all[j] = all[j], all[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case place <= j:
			last = j
		case place >= i:
			first = i
		default:
			return all[place]
		}
	}
	return all[place]
}

// equalNeighbours is the share of consecutive pixels that fall into the same of so many
// bins.
func equalNeighbours(m papers.Image, count int) float64 {
	bins := m.Bins(count)
	same := 0
	for i := 1; i < len(bins); i++ {
		if bins[i] == bins[i-1] {
			same++
		}
	}
	return float64(same) / float64(max(1, len(bins)-1))
}
