package synth

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// Families whose updates are independent of each other come first.

func constant(dst []uint32, s Spec, _ *Rand) {
	at := uint32(s.Params["at"])
	for i := range dst {
		dst[i] = at
	}
}

// stride goes by 1 where the family has no step.
func stride(dst []uint32, s Spec, _ *Rand) {
	at, step := uint64(0), max(1, uint64(s.Params["step"]))
	for i := range dst {
		dst[i] = uint32(at)
		at = (at + step) % uint64(s.K)
	}
}

func uniform(dst []uint32, s Spec, r *Rand) {
	for i := range dst {
		dst[i] = target(r, s.K)
	}
}

func zipfian(dst []uint32, s Spec, r *Rand) {
	z := newZipf(s.Params["s"], s.K)
	place := newPermutation(s.K, r)
	shuffle := s.Params["shuffle"] == 1
	for i := range dst {
		dst[i] = z.rank(r)
		if shuffle {
			dst[i] = place.at(dst[i])
		}
	}
}

func hotspot(dst []uint32, s Spec, r *Rand) {
	hot, p := uint32(s.Params["h"]), s.Params["p"]
	place := newPermutation(s.K, r)
	shuffle := s.Params["shuffle"] == 1
	for i := range dst {
		if cold := s.K - hot; cold == 0 || r.Float64() < p {
			dst[i] = target(r, hot)
		} else {
			dst[i] = hot + target(r, cold)
		}
		if shuffle {
			dst[i] = place.at(dst[i])
		}
	}
}

// permuted draws a new key for each pass over the targets.
func permuted(dst []uint32, s Spec, r *Rand) {
	for len(dst) > 0 {
		place := newPermutation(s.K, r)
		pass := min(uint64(len(dst)), uint64(s.K))
		for i := range dst[:pass] {
			dst[i] = place.at(uint32(i))
		}
		dst = dst[pass:]
	}
}

// runs ends a geometric run after each update with probability 1/len, which makes len the mean.
func runs(dst []uint32, s Spec, r *Rand) {
	length, fixed := uint64(s.Params["len"]), s.Params["fixed"] == 1
	var at uint32
	for i := range dst {
		if i == 0 || fixed && uint64(i)%length == 0 || !fixed && r.Below(length) == 0 {
			at = target(r, s.K)
		}
		dst[i] = at
	}
}

func markov(dst []uint32, s Spec, r *Rand) {
	stay, jump := s.Params["stay"], s.Params["jump"]
	k, w := uint64(s.K), uint64(s.Params["w"])
	at := r.Below(k)
	for i := range dst {
		dst[i] = uint32(at)
		if r.Float64() < stay {
			continue
		}
		if r.Float64() < jump {
			at = r.Below(k)
			continue
		}
		step := 1 + r.Below(2*w) // 1 to w forwards, the rest backwards
		if step > w {
			step = k - (step - w)
		}
		at = (at + step) % k
	}
}

func window(dst []uint32, s Spec, r *Rand) {
	k, w, hold := uint64(s.K), uint64(s.Params["w"]), uint64(s.Params["hold"])
	start := r.Below(k)
	for i := range dst {
		moved := start + uint64(i)/hold
		dst[i] = uint32((moved + r.Below(w)) % k)
	}
}

// cells numbers the cells of a cube with the largest side that k holds, x fastest, modulo k.
// [westphal15] has 100³ cells, ppc=10 and shift=0.5.
func cells(dst []uint32, s Spec, r *Rand) {
	ppc, shift := uint64(s.Params["ppc"]), s.Params["shift"]
	side := cubeRoot(uint64(s.K))
	for i := range dst {
		cell := uint64(i) / ppc
		for _, next := range [3]uint64{1, side, side * side} {
			if r.Float64() < shift {
				cell += next
			}
		}
		dst[i] = uint32(cell % uint64(s.K))
	}
}

// cubeRoot returns the largest integer whose cube is at most k.
func cubeRoot(k uint64) uint64 {
	root := uint64(0)
	for bit := uint64(1 << 11); bit > 0; bit >>= 1 {
		if t := root + bit; t*t*t <= k {
			root = t
		}
	}
	return root
}

func sorted(dst []uint32, s Spec, r *Rand) {
	uniform(dst, s, r)
	slices.Sort(dst)
}

// picture scans a square of about √n pixels a side, row by row. The field is a random number
// in [0, 1) on each point of a lattice of the given scale, joined by smooth interpolation.
func picture(dst []uint32, s Spec, r *Rand) {
	scale, noise := s.Params["scale"], s.Params["noise"]
	seed, width := r.Uint64(), int(math.Ceil(math.Sqrt(float64(len(dst)))))
	for i := range dst {
		v := fieldAt(seed, float64(i%width)/scale, float64(i/width)/scale)
		if noise > 0 {
			v += float64(noise * (r.Float64() - 0.5))
		}
		level := math.Floor(float64(v * float64(s.K)))
		dst[i] = uint32(max(0, min(level, float64(s.K)-1)))
	}
}

// fieldAt is the field of a seed at a place of the lattice.
func fieldAt(seed uint64, x, y float64) float64 {
	column, row := math.Floor(x), math.Floor(y)
	point := func(i, j uint64) float64 {
		i, j = uint64(column)+i, uint64(row)+j
		h := splitmix.Mix(splitmix.Mix(seed+i*splitmix.Golden) + j*splitmix.Golden)
		return float64(float64(h>>11) / (1 << 53))
	}
	u, v := ease(x-column), ease(y-row)
	return between(between(point(0, 0), point(1, 0), u), between(point(0, 1), point(1, 1), u), v)
}

// between goes from a to b as t goes from 0 to 1.
func between(a, b, t float64) float64 { return a + float64(t*(b-a)) }

// ease is 3t² - 2t³, flat at both ends.
func ease(t float64) float64 { return float64(t*t) * (3 - float64(2*t)) }

// mixture draws the part of each block of updates in proportion to the shares, generates
// each part at the length that falls to it and then deals the parts out in the drawn order.
func mixture(dst []uint32, s Spec, r *Rand) {
	order, lengths := make([]uint8, len(dst)), make([]int, len(s.Parts))
	block, total, part := max(1, uint64(s.Params["block"])), 0.0, 0
	for _, p := range s.Parts {
		total += p.Share
	}
	for i := range order {
		if uint64(i)%block == 0 {
			part = 0
			u := float64(r.Float64() * total)
			for ; part < len(s.Parts)-1 && u >= s.Parts[part].Share; part++ {
				u -= s.Parts[part].Share
			}
		}
		order[i] = uint8(part)
		lengths[part]++
	}
	streams := make([]uint32, slices.Max(lengths))
	for part, p := range s.Parts {
		f, _ := family(p.Family)
		stream := streams[:lengths[part]]
		f.generate(stream, Spec{Family: p.Family, N: len(stream), K: s.K, Params: p.Params},
			NewRand(r.Uint64()))
		taken := 0
		for i, from := range order {
			if int(from) == part {
				dst[i] = stream[taken]
				taken++
			}
		}
	}
}
