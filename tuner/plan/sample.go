package plan

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// NewKey returns the key of a call on a stream, of which target says those that Sample reads, on the GPU that its
// driver calls by the name on (device.Profile.Title).
func NewKey(on string, c device.Call, i device.Type, updates, bins uint64, target func(update uint64) uint32) Key {
	return Key{Device: on, Version: Version, Op: c.Op, Type: c.Type, Operand: c.Operand, Index: i,
		Returns: c.Returns, Updates: updates, Bins: bins, Sample: Sample(updates, target)}
}

// Sample returns the hash by which plans know a stream of n updates: FNV-1a of 64 bits over the
// targets of the warps that dispatch trees sample (dispatch.Warp) as little-endian words of 32 bits,
// impl.NoTarget among them.
func Sample(n uint64, target func(update uint64) uint32) uint64 {
	h := fnv.New64a()
	text := make([]byte, 0, 4*dispatch.SampledUpdates)
	for j := range dispatch.WarpsOf(n) {
		for _, lane := range dispatch.Warp(j, n, target) {
			text = binary.LittleEndian.AppendUint32(text, lane)
		}
	}
	h.Write(text)
	return h.Sum64()
}
