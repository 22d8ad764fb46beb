package probe

import "unsafe"

// valueOf is the value that update u adds where values are loaded: 1, 2 or 3,
// in an order without a pattern. The kernels make the same values.
func valueOf(u uint64) uint32 {
	h := uint32(u) * 2654435761
	h = (h ^ h>>15) * 2246822519
	return 1 + (h>>16)%3
}

// reference is what each target must hold after a call, by a serial sum on the
// host that shares no code with the kernels. Values are positive integers, so
// that the sums are integers too; adding the constant 1 gives the counts.
type reference struct {
	sums   []uint64 // of the loaded values
	counts []uint32
}

func newReference(indices []uint32, bins uint64) reference {
	r := reference{sums: make([]uint64, bins), counts: make([]uint32, bins)}
	for u, i := range indices {
		r.sums[i] += uint64(valueOf(uint64(u)))
		r.counts[i]++
	}
	return r
}

// bytesOf is the memory of a slice, in the order of the host's bytes, which is
// little-endian wherever there is a driver.
func bytesOf[T uint32 | uint64](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}
