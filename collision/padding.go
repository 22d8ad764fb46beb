package collision

import "math"

// Inactive stands for a lane without an update in a padded stream, see Options.Padded.
const Inactive = math.MaxUint32

// withoutPadding cuts the padding off a sorted stretch, at whose end it stands.
func withoutPadding(sorted []uint32) []uint32 {
	for len(sorted) > 0 && sorted[len(sorted)-1] == Inactive {
		sorted = sorted[:len(sorted)-1]
	}
	return sorted
}

// active returns what is no padding in a sorted stretch.
func (o *Options) active(sorted []uint32) []uint32 {
	if !o.Padded {
		return sorted
	}
	return withoutPadding(sorted)
}

// appendActive appends the updates of a stretch.
func appendActive(to, keys []uint32) []uint32 {
	for _, key := range keys {
		if key != Inactive {
			to = append(to, key)
		}
	}
	return to
}

// highest returns the highest index of a stretch, 0 where there is none.
func (o *Options) highest(keys []uint32) uint32 {
	if !o.Padded {
		return highestIndex(keys)
	}
	highest := uint32(0)
	for _, key := range keys {
		if key != Inactive {
			highest = max(highest, key)
		}
	}
	return highest
}

// paddedOrder returns the sums of a padded stretch that depend on which updates are neighbours.
// Padding breaks a run.
func (k *kernel) paddedOrder(keys []uint32) sums {
	s := sums{updates: uint64(len(keys)), first: keys[0], last: keys[len(keys)-1]}
	for i, key := range keys {
		switch {
		case key == Inactive:
			s.totals[inactive]++
		case i > 0 && key != keys[i-1]:
			s.totals[changes]++
		case i%k.warpSize > 0:
			s.totals[clustered]++
		}
	}
	return s
}

// countActive counts the updates of a stretch.
func countActive(keys []uint32) (n uint64) {
	for _, key := range keys {
		if key != Inactive {
			n++
		}
	}
	return n
}
