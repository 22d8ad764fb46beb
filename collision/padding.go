package collision

import "github.com/atomtune/atomtune/collision/internal/kernel"

// Inactive stands for a lane without an update in a padded stream, see Options.Padded.
const Inactive = kernel.Inactive

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

// highest returns the highest index of a stretch, 0 where there is none.
func (o *Options) highest(keys []uint32) uint32 {
	if !o.Padded {
		return kernel.Highest(keys)
	}
	highest := uint32(0)
	for _, key := range keys {
		if key != Inactive {
			highest = max(highest, key)
		}
	}
	return highest
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
