package kernel

import "slices"

const networkKeys = 8

// sortKeys sorts keys in ascending order; scratch has at least their length and is overwritten.
func sortKeys(keys, scratch []uint32) {
	n := len(keys)
	if n < networkKeys || n&(n-1) != 0 { // no warp or block as GPUs have them
		slices.Sort(keys)
		return
	}
	for rest := keys; len(rest) > 0; rest = rest[networkKeys:] {
		sortNetwork((*[networkKeys]uint32)(rest))
	}
	from, to := keys, scratch[:n]
	for run := networkKeys; run < n; run *= 2 {
		for lo := 0; lo < n; lo += 2 * run {
			mergeHalves(to[lo:lo+2*run], from[lo:lo+2*run])
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}

// sortNetwork sorts by Batcher's odd-even merges, without a branch.
func sortNetwork(k *[networkKeys]uint32) {
	order := func(x, y uint32) (uint32, uint32) { return min(x, y), max(x, y) }
	a, b, c, d, e, f, g, h := k[0], k[1], k[2], k[3], k[4], k[5], k[6], k[7]
	a, b = order(a, b)
	c, d = order(c, d)
	e, f = order(e, f)
	g, h = order(g, h)
	a, c = order(a, c)
	b, d = order(b, d)
	e, g = order(e, g)
	f, h = order(f, h)
	b, c = order(b, c)
	f, g = order(f, g)
	a, e = order(a, e)
	b, f = order(b, f)
	c, g = order(c, g)
	d, h = order(d, h)
	c, e = order(c, e)
	d, f = order(d, f)
	b, c = order(b, c)
	d, e = order(d, e)
	f, g = order(f, g)
	*k = [networkKeys]uint32{a, b, c, d, e, f, g, h}
}

// mergeHalves writes the sorted union of the two halves of src, both sorted, to dst: the lower
// half of it from the fronts, the upper from the ends, so that neither half of src runs out.
func mergeHalves(dst, src []uint32) {
	half := len(src) / 2
	dst = dst[:len(src)]
	i, j := 0, half
	p, q := half-1, len(src)-1
	for k := range half {
		x, y := src[i], src[j]
		dst[k] = min(x, y)
		step := 0
		if y < x {
			step = 1
		}
		i, j = i+1-step, j+step
		x, y = src[p], src[q]
		dst[len(dst)-1-k] = max(x, y)
		step = 0
		if y < x {
			step = 1
		}
		p, q = p-step, q-1+step
	}
}
