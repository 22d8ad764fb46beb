package guarantee

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/hwsim/inspect"
)

// Adversary is what every warp of a stream does: lanes with equal keys meet one
// target.
type Adversary struct {
	Keys []int // of each lane
	// Shared targets are the same for all warps, so that a key's lanes wait for those
	// of other warps too; otherwise each warp has its own.
	Shared bool
	// Dodge gives the lane that vr samples a target of its own, so that the vote never
	// meets a frequent one.
	Dodge bool
}

// String writes the lanes as letters, lanes alone on their target as dots, and what
// else the pattern does: `AAAA....BB...... shared, dodging the sample`.
func (p Adversary) String() string {
	count := map[int]int{}
	for _, k := range p.Keys {
		count[k]++
	}
	letters := map[int]byte{}
	var b strings.Builder
	for _, k := range p.Keys {
		if count[k] == 1 {
			b.WriteByte('.')
			continue
		}
		if letters[k] == 0 {
			letters[k] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[len(letters)]
		}
		b.WriteByte(letters[k])
	}
	if p.Shared {
		b.WriteString(" shared")
	}
	if p.Dodge {
		b.WriteString(" dodging the sample")
	}
	return b.String()
}

// Adversaries lists patterns that are made to hurt a threshold: just below it, at
// it and far above with the other lanes alone or on a second target, lanes side by side
// or spread, targets of pairs and of short runs; each with targets of the warp's own
// and shared, and with the sampled lane never among the frequent.
func Adversaries(lanes, threshold int) []Adversary {
	var all []Adversary
	add := func(key func(lane int) int) {
		keys := make([]int, lanes)
		for l := range keys {
			keys[l] = key(l)
		}
		all = append(all, Adversary{keys, false, false}, Adversary{keys, true, false},
			Adversary{keys, true, true})
	}
	for _, hot := range []int{threshold - 1, threshold, lanes - 1} {
		if hot < 1 || hot > lanes {
			continue
		}
		orElse := func(lane, other int) int {
			if lane < hot {
				return 0
			}
			return other
		}
		spread := func(l int) int { return l * 5 % lanes } // 5 is odd: each lane keeps one place
		add(func(l int) int { return orElse(l, l) })
		add(func(l int) int { return orElse(spread(l), spread(l)) })
		add(func(l int) int { return orElse(l, 1) })
	}
	for _, length := range []int{2, threshold - 1, threshold} {
		if length > 1 && length < lanes {
			add(func(l int) int { return l / length })
		}
	}
	add(func(l int) int { return l % 2 })
	return all
}

// drawAdversary draws a pattern of few or many targets.
func drawAdversary(rng *rand.Rand, lanes int) Adversary {
	p := Adversary{Keys: make([]int, lanes), Shared: rng.IntN(2) == 0, Dodge: rng.IntN(3) == 0}
	targets := 1 + rng.IntN(lanes)
	for l := range p.Keys {
		p.Keys[l] = rng.IntN(targets)
	}
	return p
}

// changed is the pattern with a few lanes on other targets or, now and then, with
// other targets between warps.
func (p Adversary) changed(rng *rand.Rand) Adversary {
	p.Keys = slices.Clone(p.Keys)
	switch rng.IntN(8) {
	case 0:
		p.Shared = !p.Shared
	case 1:
		p.Dodge = !p.Dodge
	default:
		for range 1 + rng.IntN(3) {
			from := rng.IntN(len(p.Keys))
			if rng.IntN(2) == 0 {
				p.Keys[rng.IntN(len(p.Keys))] = p.Keys[from]
				continue
			}
			p.Keys[from] = rng.IntN(len(p.Keys))
		}
	}
	return p
}

// apart is the distance between targets, in words: each lies in a sector of its own.
const apart = 8

// stream lets so many warps do what the pattern says.
func (p Adversary) stream(warps int, seed uint64) (indices []uint32, bins uint64) {
	lanes := len(p.Keys)
	indices = make([]uint32, 0, warps*lanes)
	for w := range warps {
		begin, own := len(indices), 2*w*lanes // from here on keys are the warp's own
		for _, k := range p.Keys {
			if !p.Shared {
				k += own
			}
			indices = append(indices, uint32(k*apart))
		}
		if p.Dodge {
			sampled := inspect.SampledLane(seed, uint64(w), 1, lanes)
			indices[begin+sampled] = uint32((own + lanes) * apart)
		}
	}
	return indices, uint64(warps*2*lanes) * apart
}
