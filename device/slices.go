package device

import (
	"math/bits"
	"slices"
)

// SliceHash is how a device spreads addresses over the slices of its L2 cache,
// where few rounds of iterations do not describe it. With c = floor(address / chunk):
//
//	low   bit i is the parity of c AND Low[i]
//	high  (c + sum over i of 2^i · parity of c AND Fold[i]) mod Modulus
//	slice high · 2^len(Low) + low
//
// Only which addresses meet on one slice was measured, so slices have no numbers
// of their own, and other hashes may say the same.
type SliceHash struct {
	Modulus uint64   `json:"modulus"`
	Low     []uint64 `json:"low"`
	Fold    []uint64 `json:"fold"`
	// SmallBase is where the allocator puts an array that shares a page with others
	// before it: its address within the page.
	SmallBase uint64 `json:"small_base"`
	Page      uint64 `json:"page"` // the allocator's page: larger arrays begin at one
	Source    string `json:"source"`
	Rationale string `json:"rationale"`
}

// Slices returns the number of slices.
func (h *SliceHash) Slices() uint64 { return h.Modulus << len(h.Low) }

// Slice returns the slice of a chunk.
func (h *SliceHash) Slice(chunk uint64) uint64 {
	low, high := uint64(0), chunk
	for i, mask := range h.Low {
		low |= uint64(bits.OnesCount64(chunk&mask)&1) << i
	}
	for i, mask := range h.Fold {
		high += uint64(bits.OnesCount64(chunk&mask)&1) << i
	}
	return high%h.Modulus<<len(h.Low) | low
}

// validate accepts that there is no hash.
func (h *SliceHash) validate(count float64) error {
	switch {
	case h == nil:
	case h.Modulus == 0 || h.Modulus > 1<<12 || len(h.Low) > 12 || len(h.Fold) > 12:
		return broken("global.hash: modulus %d, %d low and %d fold masks", h.Modulus, len(h.Low),
			len(h.Fold))
	case float64(h.Slices()) != count:
		return broken("global.hash has %d slices, global.slices says %v", h.Slices(), count)
	case slices.Contains(h.Low, 0) || slices.Contains(h.Fold, 0):
		return broken("global.hash has a mask without bits")
	case h.Page == 0 || h.Page > 1<<30 || h.SmallBase >= h.Page || h.SmallBase%256 != 0 ||
		h.Page%256 != 0:
		return broken("global.hash: small_base %d in pages of %d bytes, want multiples of 256",
			h.SmallBase, h.Page)
	case h.Source == "" || h.Rationale == "":
		return broken("global.hash has no source or no rationale")
	}
	return nil
}

// AnswerTiming is the way of old values back to the SMs.
type AnswerTiming struct {
	// Sector: between two sectors of a slice that answer, where all slices do.
	Sector Quantity `json:"sector" unit:"cycle"`
	// Pass: each further pass over such a sector, for lanes on one word.
	Pass Quantity `json:"pass" unit:"cycle"`
	SM   Quantity `json:"sm" unit:"cycle"` // between two passes of one SM that answer
	// Store: between two sectors of old values that a slice stores, where all slices do.
	Store Quantity `json:"store" unit:"cycle"`
}

// SliceTiming is what measured requests of different shapes show of a slice's
// atomic unit, beside the mean of a pass.
type SliceTiming struct {
	Word   Quantity `json:"word" unit:"cycle"`   // a pass over one word of a sector
	Sector Quantity `json:"sector" unit:"cycle"` // the first pass over all words of a sector
	// Requests: on which a slice works at once
	Requests Quantity `json:"requests" unit:"1" range:"1 64 whole"`
}
