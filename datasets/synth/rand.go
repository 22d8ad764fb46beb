package synth

import "github.com/atomtune/atomtune/internal/splitmix"

// Rand is the splitmix64 generator [steele14]. The zero Rand is seeded with 0.
type Rand = splitmix.Rand

// NewRand returns a generator. Equal seeds give equal sequences.
func NewRand(seed uint64) *Rand { return splitmix.New(seed) }

// target returns a target uniform in [0, k).
func target(r *Rand, k uint32) uint32 { return uint32(r.Below(uint64(k))) }
