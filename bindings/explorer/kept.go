package explorer

import (
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
)

// Explorer answers questions, and keeps what the next question is likely to ask for again: a change
// of the device leaves the streams, and a step along the axis of a curve leaves the curve. It is
// not safe for concurrent use.
type Explorer struct {
	drawn    kept[Stream, sample]   // by streams without a length
	frequent kept[uint64, []uint32] // targets of the first ranks, by number of targets
	stats    kept[measured, collision.Stats]
	choosers kept[choice, *tuner.Chooser]
	samplers map[int]*collision.Sampler // by lanes
}

// measured is a stream in warps of so many lanes.
type measured struct {
	Stream
	lanes int
}

// choice is what a chooser is made for.
type choice struct {
	device string
	call   device.Call
	launch string
}

// kept holds values that take long to make, the last most of them at least.
type kept[K comparable, V any] struct {
	recent, older map[K]V
}

// most is how many values of a kind are kept at least.
const most = 128

// has reports whether a value is kept.
func (k *kept[K, V]) has(key K) bool {
	_, recent := k.recent[key]
	_, older := k.older[key]
	return recent || older
}

// of returns a value, which is made if it is not kept.
func (k *kept[K, V]) of(key K, compute func() (V, error)) (V, error) {
	if v, ok := k.recent[key]; ok {
		return v, nil
	}
	v, ok := k.older[key]
	if !ok {
		var err error
		if v, err = compute(); err != nil {
			return v, err
		}
	}
	if k.recent == nil || len(k.recent) == most {
		k.older, k.recent = k.recent, make(map[K]V, most)
	}
	k.recent[key] = v
	return v, nil
}
