package kernel

import "math"

// Inactive stands for a lane without an update in a padded stream.
const Inactive = math.MaxUint32

// AppendActive appends the updates of a stretch.
func AppendActive(to, keys []uint32) []uint32 {
	for _, key := range keys {
		if key != Inactive {
			to = append(to, key)
		}
	}
	return to
}

// paddedOrder is laneOrder of a padded stretch. Padding breaks a run.
func (k *Kernel) paddedOrder(keys []uint32) Sums {
	s := Sums{Updates: uint64(len(keys)), First: keys[0], Last: keys[len(keys)-1]}
	for i, key := range keys {
		switch {
		case key == Inactive:
			s.Totals[Padding]++
		case i > 0 && key != keys[i-1]:
			s.Totals[Changes]++
		case i%k.warpSize > 0:
			s.Totals[Clustered]++
		}
	}
	return s
}
