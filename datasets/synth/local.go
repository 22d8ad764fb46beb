package synth

// Families whose neighbouring updates have equal or near targets.

// runs ends a geometric run after each update with probability 1/len, which
// makes len the mean.
func runs(dst []uint32, s Spec, r *Rand) {
	length := uint64(s.Params["len"])
	fixed := s.Params["fixed"] == 1
	left := uint64(0) // of a fixed run
	var at uint32
	for i := range dst {
		var fresh bool
		if fixed {
			fresh = left == 0
		} else {
			fresh = i == 0 || r.Below(length) == 0
		}
		if fresh {
			at, left = target(r, s.K), length
		}
		dst[i] = at
		left--
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

// cells numbers the cells of a cube with the largest side that k holds, x
// fastest; the neighbours in x, y and z are 1, side and side² further on, the
// whole taken around k. [westphal15] has 100³ cells, ppc=10 and shift=0.5.
func cells(dst []uint32, s Spec, r *Rand) {
	ppc, shift := uint64(s.Params["ppc"]), s.Params["shift"]
	k := uint64(s.K)
	side := cubeRoot(k)
	for i := range dst {
		cell := uint64(i) / ppc
		for _, next := range [3]uint64{1, side, side * side} {
			if r.Float64() < shift {
				cell += next
			}
		}
		dst[i] = uint32(cell % k)
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
