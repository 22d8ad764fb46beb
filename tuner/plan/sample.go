package plan

import (
	"encoding/binary"
	"hash/fnv"
)

// Singles is the number of updates by whose targets plans tell streams apart.
const Singles = 2048

// None stands for the target of an update that has none: its index is out of range or ignored.
const None = 0xffffffff

// Single returns the place of sampled update j < min(n, Singles) in a stream of n updates: j where
// these are all, else one place in the j-th of Singles parts of equal length,
//
//	floor((j·n + within) / Singles), within = (j·2654435769 mod 2^32) · n / 2^32
//
// in unsigned arithmetic of 64 bits. Programs on the GPU sample the same places.
func Single(j, n uint64) uint64 {
	if n <= Singles {
		return j
	}
	within := uint64(uint32(j*2654435769)) * n >> 32
	return (j*n + within) / Singles
}

// Sample returns the hash by which plans know a stream of n updates, FNV-1a of 64 bits over the
// targets at the places of Single as little-endian words of 32 bits, None among them.
func Sample(n uint64, target func(update uint64) uint32) uint64 {
	h := fnv.New64a()
	text := make([]byte, 0, 4*Singles)
	for j := range min(n, Singles) {
		text = binary.LittleEndian.AppendUint32(text, target(Single(j, n)))
	}
	h.Write(text)
	return h.Sum64()
}
