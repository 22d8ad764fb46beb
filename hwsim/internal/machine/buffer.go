package machine

import (
	"iter"
	"math/bits"
	"slices"
)

// Buffer is an array in global memory. Elements of 4 bytes live in words, elements of 8 bytes in
// longs, elements of 2 bytes in halves; or all of them elsewhere.
type Buffer struct {
	Base   uint64 // byte address
	Words  []uint32
	Longs  []uint64
	Halves []uint16
	Other  Elements
	Kept   uint64 // bytes that stay in L2 while other arrays stream through it
	Once   bool   // what is loaded leaves L2 first: it comes from memory in every call
	Free   bool   // what is loaded is there at once
}

// Elements are those of an array that is too large to be held as a whole.
type Elements interface {
	Sizes() (number, bytes uint64) // of the array, of an element in the memory that is simulated
	Get(i uint64) uint64
	Set(i, v uint64)
}

func (b *Buffer) ElemBytes() uint64 {
	switch {
	case b.Other != nil:
		_, size := b.Other.Sizes()
		return size
	case b.Longs != nil:
		return 8
	case b.Halves != nil:
		return 2
	}
	return 4
}

func (b *Buffer) Bytes() uint64 {
	if b.Other != nil {
		n, size := b.Other.Sizes()
		return n * size
	}
	return uint64(len(b.Words))*4 + uint64(len(b.Longs))*8 + uint64(len(b.Halves))*2
}

func (b *Buffer) Get(i uint64) uint64 {
	if b.Words != nil {
		return uint64(b.Words[i])
	}
	return b.get(i)
}

func (b *Buffer) get(i uint64) uint64 {
	switch {
	case b.Longs != nil:
		return b.Longs[i]
	case b.Halves != nil:
		return uint64(b.Halves[i])
	}
	return b.Other.Get(i)
}

// gather reads the elements of the lanes, each so many behind its index.
func (b *Buffer) gather(out, index []uint64, behind, lanes uint64) {
	out = out[:len(index)]
	if words := b.Words; words != nil && lanes == allOf(index) {
		for l, i := range index {
			out[l] = uint64(words[i+behind])
		}
		return
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		out[l] = b.Get(index[l] + behind)
	}
}

func (b *Buffer) Set(i, v uint64) {
	if b.Words != nil {
		b.Words[i] = uint32(v)
		return
	}
	b.set(i, v)
}

func (b *Buffer) set(i, v uint64) {
	switch {
	case b.Longs != nil:
		b.Longs[i] = v
	case b.Halves != nil:
		b.Halves[i] = uint16(v)
	default:
		b.Other.Set(i, v)
	}
}

// Poison is what arrays hold before a kernel writes them.
const Poison = 0xA5A5A5A5

// Counters makes an array of poisoned words.
func Counters(n uint64) *Buffer {
	return &Buffer{Words: slices.Repeat([]uint32{Poison}, int(n))}
}

// Places makes an array of poisoned elements of 2 bytes.
func Places(n uint64) *Buffer {
	return &Buffer{Halves: slices.Repeat([]uint16{Poison & (1<<16 - 1)}, int(n))}
}

// Sparse are 4-byte numbers that are 0 until they are set, of which pages are made when they are
// asked for. They stand for elements of any size.
type Sparse struct {
	number, bytes uint64
	pages         []*[sparsePage]uint32
}

const sparsePage = 1 << 10

// NewSparse makes so many numbers that stand for elements of so many bytes.
func NewSparse(number, bytes uint64) *Sparse {
	return &Sparse{number, bytes, make([]*[sparsePage]uint32, (number+sparsePage-1)/sparsePage)}
}

func (s *Sparse) Sizes() (number, bytes uint64) { return s.number, s.bytes }

func (s *Sparse) Get(i uint64) uint64 {
	if page := s.pages[i/sparsePage]; page != nil {
		return uint64(page[i%sparsePage])
	}
	return 0
}

func (s *Sparse) Set(i, v uint64) {
	page := &s.pages[i/sparsePage]
	if *page == nil {
		*page = new([sparsePage]uint32)
	}
	(*page)[i%sparsePage] = uint32(v)
}

// Pages yields the numbers of each page that was set, with the place of the first.
func (s *Sparse) Pages() iter.Seq2[uint64, []uint32] {
	return func(yield func(uint64, []uint32) bool) {
		for i, page := range s.pages {
			if page != nil && !yield(uint64(i)*sparsePage, page[:]) {
				return
			}
		}
	}
}

// Formula is an array whose elements are made when they are read. What is written is not kept.
type Formula struct {
	Number, Elem uint64
	Of           func(i uint64) uint64
}

func (f Formula) Sizes() (number, bytes uint64) { return f.Number, f.Elem }
func (f Formula) Get(i uint64) uint64           { return f.Of(i) }
func (f Formula) Set(uint64, uint64)            {}
