package synth

import "slices"

// mixture generates each part at the length that falls to it and then deals
// the parts out in the drawn order.
func mixture(dst []uint32, s Spec, r *Rand) {
	order := drawParts(len(dst), s, r)
	lengths := make([]int, len(s.Parts))
	for _, part := range order {
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

// drawParts draws the part of each update in proportion to the shares.
func drawParts(n int, s Spec, r *Rand) []uint8 {
	var total float64
	for _, p := range s.Parts {
		total += p.Share
	}
	block := max(1, uint64(s.Params["block"]))
	order := make([]uint8, n)
	for i := range order {
		if uint64(i)%block != 0 {
			order[i] = order[i-1]
			continue
		}
		u := float64(r.Float64() * total)
		last := len(s.Parts) - 1
		part := 0
		for part < last && u >= s.Parts[part].Share {
			u -= s.Parts[part].Share
			part++
		}
		order[i] = uint8(part)
	}
	return order
}
