package collision

import "github.com/atomtune/atomtune/collision/internal/kernel"

// Inactive stands for a lane without an update in a padded stream, see Options.Padded.
const Inactive = kernel.Inactive

// active returns what is not padding in a sorted stretch.
// active cuts the padding off a sorted stretch, at whose end it stands.
func (o *Options) active(sorted []uint32) []uint32 {
	for o.Padded && len(sorted) > 0 && sorted[len(sorted)-1] == Inactive {
		sorted = sorted[:len(sorted)-1]
	}
	return sorted
}

func (o *Options) highest(keys []uint32) uint32 { return kernel.HighestOf(keys, o.Padded) }

func countActive(keys []uint32) (n uint64) {
	for _, key := range keys {
		if key != Inactive {
			n++
		}
	}
	return n
}
