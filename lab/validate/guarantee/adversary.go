package guarantee

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/hwsim"
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
	text := b.String()
	if p.Shared {
		text += " shared"
	}
	if p.Dodge {
		text += " dodging the sample"
	}
	return text
}

// Adversaries lists patterns that are made to hurt a threshold: just below it, at
// it and far above with the other lanes alone or on a second target, lanes side by side
// or spread, targets of pairs and of short runs; each with targets of the warp's own
// and shared, and with the sampled lane never among the frequent.
func Adversaries(lanes, threshold int) []Adversary {
	var shapes [][]int
	for _, hot := range []int{threshold - 1, threshold, lanes - 1} {
		if hot < 1 || hot > lanes {
			continue
		}
		shapes = append(shapes, hotAndAlone(lanes, hot), spread(hotAndAlone(lanes, hot)), hotAndSecond(lanes, hot))
	}
	for _, length := range []int{2, threshold - 1, threshold} {
		if length > 1 && length < lanes {
			shapes = append(shapes, runs(lanes, length))
		}
	}
	alternating := make([]int, lanes)
	for l := range alternating {
		alternating[l] = l % 2
	}
	shapes = append(shapes, alternating)
	var all []Adversary
	for _, keys := range shapes {
		for _, shared := range []bool{false, true} {
			all = append(all, Adversary{keys, shared, false})
		}
		all = append(all, Adversary{keys, true, true})
	}
	return all
}

// hotAndAlone puts the first lanes on one target and each other on its own.
func hotAndAlone(lanes, hot int) []int {
	keys := make([]int, lanes)
	for l := hot; l < lanes; l++ {
		keys[l] = l
	}
	return keys
}

// hotAndSecond puts the first lanes on one target and all others on a second.
func hotAndSecond(lanes, hot int) []int {
	keys := make([]int, lanes)
	for l := hot; l < lanes; l++ {
		keys[l] = 1
	}
	return keys
}

// runs puts so many neighbours at a time on one target.
func runs(lanes, length int) []int {
	keys := make([]int, lanes)
	for l := range keys {
		keys[l] = l / length
	}
	return keys
}

// spread moves lanes apart by a step that is odd, so that each keeps one place.
func spread(keys []int) []int {
	out := make([]int, len(keys))
	for l, k := range keys {
		out[l*13%len(keys)] = k
	}
	return out
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
	q := Adversary{slices.Clone(p.Keys), p.Shared, p.Dodge}
	switch rng.IntN(8) {
	case 0:
		q.Shared = !q.Shared
	case 1:
		q.Dodge = !q.Dodge
	default:
		for range 1 + rng.IntN(3) {
			from := rng.IntN(len(q.Keys))
			if rng.IntN(2) == 0 {
				q.Keys[rng.IntN(len(q.Keys))] = q.Keys[from]
				continue
			}
			q.Keys[from] = rng.IntN(len(q.Keys))
		}
	}
	return q
}

// apart is the distance between targets, in words: each lies in a sector of its own.
const apart = 8

// stream lets so many warps do what the pattern says.
func (p Adversary) stream(warps int, seed uint64) (indices []uint32, bins uint64) {
	lanes := len(p.Keys)
	own := uint32(0) // key numbers of a warp's own targets start here
	indices = make([]uint32, 0, warps*lanes)
	for w := range warps {
		if !p.Shared {
			own = uint32(w * 2 * lanes)
		}
		begin := len(indices)
		for _, k := range p.Keys {
			indices = append(indices, (own+uint32(k))*apart)
		}
		if p.Dodge {
			indices[begin+hwsim.SampledLane(seed, uint64(w), 1, lanes)] = (uint32(w*2*lanes) + uint32(lanes)) * apart
		}
	}
	return indices, uint64(warps*2*lanes) * apart
}
