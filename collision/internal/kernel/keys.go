package kernel

import "slices"

// Highest returns the highest of keys, 0 of none.
func Highest(keys []uint32) uint32 {
	var a, b, c, d uint32
	for ; len(keys) >= 4; keys = keys[4:] {
		a, b, c, d = max(a, keys[0]), max(b, keys[1]), max(c, keys[2]), max(d, keys[3])
	}
	for _, key := range keys {
		a = max(a, key)
	}
	return max(a, b, c, d)
}

// HighestOf is Highest of what is not padding.
func HighestOf(keys []uint32, padded bool) uint32 {
	if !padded {
		return Highest(keys)
	}
	highest := uint32(0)
	for _, key := range keys {
		if key != Inactive {
			highest = max(highest, key)
		}
	}
	return highest
}

// Beyond returns the place of the first of keys that is neither below bins nor padding, -1 if there is none.
func Beyond(keys []uint32, bins uint64, padded bool) int {
	return slices.IndexFunc(keys, func(key uint32) bool { return uint64(key) >= bins && !(padded && key == Inactive) })
}

// Alike reports whether keys, of which there are some, agree in the bits of a mask. Of most that do not the first and the
// last do not.
func Alike(keys []uint32, mask uint32) bool {
	first := keys[0]
	if (first^keys[len(keys)-1])&mask != 0 {
		return false
	}
	differ := uint32(0)
	for _, key := range keys {
		differ |= key ^ first
	}
	return differ&mask == 0
}
