// Package patterns holds warp access patterns of shared memory: which word each lane of one warp
// addresses. It reads and writes them as text, and makes the structured and random sets on which
// models are compared with simulation and measurement.
package patterns

import (
	"math/rand/v2"
	"slices"
)

// Inactive marks a lane that takes no part.
const Inactive = -1

// Pattern is the word address of each lane, Inactive for lanes that take no part. A word is as
// long as the element that is accessed: address 3 of an 8-byte type is the fourth 8-byte word.
type Pattern = []int32

// Words is the number of words that the sets of this package stay below: the
// 48 KiB of a Fermi multiprocessor in words of 4 bytes.
const Words = 12288

// Lanes is the number of lanes of the sets of this package.
const Lanes = 32

var (
	strides = []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048}
	degrees = []int{1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32}
	groups  = []int{1, 2, Lanes}
)

// conflict is how the lanes of one group stand to each other.
type conflict func(group, member, stride int) int

var conflicts = []conflict{
	func(g, m, s int) int { return g + m*s },     // by bank
	func(g, _, s int) int { return g * s },       // by position, groups apart by the stride
	func(g, m, s int) int { return g + m/2*s },   // two lanes on each of several words of a bank
	func(g, m, s int) int { return g + m*(s+1) }, // copies with one word of padding
}

// Structured returns 5,184 different patterns: groups of 1 to 32 lanes that conflict by bank, by
// position, by both, or as padded copies do; strides of 1 to 2,048 words; one, two or as many
// groups as fit; all lanes active in ascending order, every third lane inactive, or the lanes in a
// scrambled order. Lane l outside the groups addresses word l, as a group with a small stride may.
// The patterns begin at different addresses, so that more of them differ.
func Structured() []Pattern {
	var all []Pattern
	for _, at := range conflicts {
		for _, stride := range strides {
			for _, degree := range degrees {
				for _, limit := range groups {
					for arrangement := range 3 {
						all = append(all, structured(at, stride, degree, limit, arrangement, len(all)))
					}
				}
			}
		}
	}
	return all
}

func structured(at conflict, stride, degree, limit, arrangement, number int) Pattern {
	p := make(Pattern, Lanes)
	for l := range p {
		address := l
		if group := l / degree; group < limit && (group+1)*degree <= Lanes {
			address = at(group, l%degree, stride)
		}
		place := l
		if arrangement == 2 {
			place = (l*13 + 5) % Lanes
		}
		p[place] = fold(address + number*41%2003)
		if arrangement == 1 && l%3 == 2 {
			p[place] = Inactive
		}
	}
	return p
}

// fold keeps an address below Words and in its bank.
func fold(address int) int32 {
	for address >= Words {
		address += Lanes - Words
	}
	return int32(address)
}

// Space is a distribution of random patterns over so many words.
type Space struct {
	Words int
	Kind  Kind
}

// Kind is the distribution of a random pattern.
type Kind int

// The kinds.
const (
	Uniform  Kind = iota // each lane on any word
	Sparse               // the same, each lane inactive with probability 1/4
	Sorted               // uniform, in ascending order
	Runs                 // stretches of equal addresses, 4 lanes long on average
	Hot                  // a quarter of the lanes on one word
	Walk                 // neighbouring lanes on neighbouring words, as the pixels of an image
	numKinds             // how many there are
)

// Draw fills p with a pattern of the space, which has at least one word. Words beyond the space are
// never addressed.
func (s Space) Draw(rng *rand.Rand, p Pattern) {
	first, step := 0, max(1, s.Words/64)
	if s.Kind != Runs {
		first = rng.IntN(s.Words) // where a walk begins, or the hot word
	}
	at := first
	for l := range p {
		switch {
		case s.Kind == Walk:
			at = min(max(at+rng.IntN(2*step+1)-step, 0), s.Words-1)
		case s.Kind != Runs || l == 0 || rng.IntN(4) == 0:
			at = rng.IntN(s.Words)
		}
		p[l] = int32(at)
		if s.Kind == Sparse && rng.IntN(4) == 0 {
			p[l] = Inactive
		}
		if s.Kind == Hot && rng.IntN(4) == 0 {
			p[l] = int32(first)
		}
	}
	if s.Kind == Sorted {
		slices.Sort(p)
	}
}

var spaces = []int{16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192}

// Random returns perSpace patterns of each of 16 spaces of 16 to 8,192 words in
// each of the 6 kinds, the same for the same seed.
func Random(seed uint64, perSpace int) []Pattern {
	rng := rand.New(rand.NewPCG(seed, 0x9A77E12))
	var all []Pattern
	for range perSpace {
		for _, words := range spaces {
			for kind := range numKinds {
				p := make(Pattern, Lanes)
				Space{words, kind}.Draw(rng, p)
				all = append(all, p)
			}
		}
	}
	return all
}

// FromStream cuts an index stream into the patterns of its warps: lane i of warp w has index
// lanes·w + i, and a last partial warp has inactive lanes. Of a stream with more than most warps,
// stretches of so many warps as one block has are taken, evenly spread. Indices lie below 2^31.
func FromStream(indices []uint32, lanes, warpsPerBlock, most int) []Pattern {
	blockLanes := lanes * warpsPerBlock
	blocks := (len(indices) + blockLanes - 1) / blockLanes
	taken := max(1, min(blocks, most/warpsPerBlock))
	var all []Pattern
	for k := range taken {
		first := k * blocks / taken * blockLanes
		for from := first; from < min(first+blockLanes, len(indices)); from += lanes {
			p := make(Pattern, lanes)
			for l := range p {
				p[l] = Inactive
				if from+l < len(indices) {
					p[l] = int32(indices[from+l])
				}
			}
			all = append(all, p)
		}
	}
	return all
}
