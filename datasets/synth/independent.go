package synth

// Families whose updates are independent of each other.

func constant(dst []uint32, s Spec, _ *Rand) {
	at := uint32(s.Params["at"])
	for i := range dst {
		dst[i] = at
	}
}

func sequential(dst []uint32, s Spec, _ *Rand) {
	advance(dst, s.K, 1)
}

func stride(dst []uint32, s Spec, _ *Rand) {
	advance(dst, s.K, uint64(s.Params["step"]))
}

func advance(dst []uint32, k uint32, step uint64) {
	at := uint64(0)
	for i := range dst {
		dst[i] = uint32(at)
		at = (at + step) % uint64(k)
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
