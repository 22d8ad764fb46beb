package machine

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
	"unsafe"
)

// Buffer is an array in global memory. Elements of 4 bytes live in words, others elsewhere.
type Buffer struct {
	Base  uint64 // byte address
	Words []uint32
	Size  uint64 // bytes of a word in the memory that is simulated; 0: 4
	Other Elements
	Kept  uint64 // bytes that stay in L2 while other arrays stream through it
	Once  bool   // what is loaded leaves L2 first: it comes from memory in every call
	Free  bool   // what is loaded is there at once
}

// Elements are those of an array that is not of words.
type Elements interface {
	Sizes() (number, bytes uint64) // of the array, of an element in the memory that is simulated
	Get(i uint64) uint64
	Set(i, v uint64)
}

func (b *Buffer) ElemBytes() uint64 {
	if b.Other == nil {
		return cmp.Or(b.Size, 4)
	}
	_, size := b.Other.Sizes()
	return size
}

func (b *Buffer) Bytes() uint64 {
	if b.Other == nil {
		return uint64(len(b.Words)) * b.ElemBytes()
	}
	n, size := b.Other.Sizes()
	return n * size
}

func (b *Buffer) Get(i uint64) uint64 {
	if b.Words != nil {
		return uint64(b.Words[i])
	}
	return b.Other.Get(i)
}

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
	b.Other.Set(i, v)
}

// Poison is what arrays hold before a kernel writes them.
const Poison = 0xA5A5A5A5

// Counters makes an array of poisoned words.
func Counters(n uint64) *Buffer {
	return &Buffer{Words: slices.Repeat([]uint32{Poison}, int(n))}
}

func Poisoned[T uint16 | uint64](n uint64) *Buffer {
	poison := uint64(Poison * (1<<32 + 1))
	return &Buffer{Other: array[T](slices.Repeat([]T{T(poison)}, int(n)))}
}

type array[T uint16 | uint64] []T

func (a array[T]) Sizes() (number, bytes uint64) { return uint64(len(a)), uint64(unsafe.Sizeof(T(0))) }
func (a array[T]) Get(i uint64) uint64           { return uint64(a[i]) }
func (a array[T]) Set(i, v uint64)               { a[i] = T(v) }

// paged is a table of which pages are made when they are asked for.
type paged[T any] [][]T

const pageSize = 1 << 10

func newPaged[T any](n uint64) paged[T] { return make(paged[T], (n+pageSize-1)/pageSize) }

func (t paged[T]) at(i uint64) *T {
	page := &t[i/pageSize]
	if *page == nil {
		*page = make([]T, pageSize)
	}
	return &(*page)[i%pageSize]
}

// Sparse are elements that are those of a formula until they are set.
type Sparse struct {
	Formula
	pages paged[uint64]
}

func NewSparse(before Formula) *Sparse { return &Sparse{before, newPaged[uint64](before.Number)} }

func (s *Sparse) Set(i, v uint64) {
	if s.pages[i/pageSize] == nil {
		for first, at := i/pageSize*pageSize, uint64(0); at < pageSize; at++ {
			*s.pages.at(first + at) = s.Of(first + at)
		}
	}
	s.pages[i/pageSize][i%pageSize] = v
}

func (s *Sparse) Get(i uint64) uint64 {
	if page := s.pages[i/pageSize]; page != nil {
		return page[i%pageSize]
	}
	return s.Of(i)
}

// Pages yields the elements of each page that was set, with the place of the first.
func (s *Sparse) Pages() iter.Seq2[uint64, []uint64] {
	return func(yield func(uint64, []uint64) bool) {
		for i, page := range s.pages {
			if page != nil && !yield(uint64(i)*pageSize, page) {
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
