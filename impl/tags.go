package impl

import (
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// NoTarget is the tag of a slot without a target. In samples it marks an index that is out of range or ignored.
const NoTarget = 1<<32 - 1

// Slot returns the slot of a target in a table of so many, a power of two: the highest bits of
// target·2654435761 modulo 2^32.
func Slot(target uint32, slots int) int {
	return int(splitmix.High(target, bits.TrailingZeros(uint(slots))))
}

// Tags returns the target of each slot of `hot` where the updates of each target are known: the
// most frequent one that belongs there, the lowest of equal ones, NoTarget where none occurs.
func Tags(counts []uint32, slots int) []uint32 {
	tags, most := slices.Repeat([]uint32{NoTarget}, slots), make([]uint32, slots)
	for target, n := range counts {
		if slot := Slot(uint32(target), slots); n > most[slot] {
			tags[slot], most[slot] = uint32(target), n
		}
	}
	return tags
}
