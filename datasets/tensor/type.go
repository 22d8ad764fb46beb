package tensor

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Kind is what the bits of an element stand for.
type Kind uint8

// The kinds of elements.
const (
	Other  Kind = iota // no number that could be an index
	Int                // two's complement
	Uint               // unsigned
	Float              // IEEE 754 of 2, 4 or 8 bytes
	BFloat             // the upper half of a float of 4 bytes
)

// Type is the type of the elements of an array.
type Type struct {
	Name string // as NumPy and PyTorch call it, such as int64
	Kind Kind
	Size int  // bytes of an element, at least 1
	Big  bool // the most significant byte stands first
}

// The types that hold indices, little-endian.
var (
	Int8     = Type{Name: "int8", Kind: Int, Size: 1}
	Int16    = Type{Name: "int16", Kind: Int, Size: 2}
	Int32    = Type{Name: "int32", Kind: Int, Size: 4}
	Int64    = Type{Name: "int64", Kind: Int, Size: 8}
	Bool     = Type{Name: "bool", Kind: Uint, Size: 1}
	Uint8    = Type{Name: "uint8", Kind: Uint, Size: 1}
	Uint16   = Type{Name: "uint16", Kind: Uint, Size: 2}
	Uint32   = Type{Name: "uint32", Kind: Uint, Size: 4}
	Uint64   = Type{Name: "uint64", Kind: Uint, Size: 8}
	Float16  = Type{Name: "float16", Kind: Float, Size: 2}
	Float32  = Type{Name: "float32", Kind: Float, Size: 4}
	Float64  = Type{Name: "float64", Kind: Float, Size: 8}
	BFloat16 = Type{Name: "bfloat16", Kind: BFloat, Size: 2}
)

// TypeOf returns the type of a kind and a size, little-endian; of Kind Other if there is none.
func TypeOf(kind Kind, size int) Type {
	for _, t := range []Type{Int8, Int16, Int32, Int64, Uint8, Uint16, Uint32, Uint64, Float16, Float32, Float64} {
		if t.Kind == kind && t.Size == size {
			return t
		}
	}
	return Type{}
}

// Fractional reports whether elements may be other than whole numbers.
func (t Type) Fractional() bool { return t.Kind == Float || t.Kind == BFloat }

// Values reads len(to) elements: integers extended by their sign, floats as the bits of 64, which
// is exact. The type must not be of Kind Other.
func (t Type) Values(to []uint64, raw []byte) {
	t.bits(to, raw)
	t.Widen(to)
}

// Widen makes of elements' bits what Values reads.
func (t Type) Widen(to []uint64) {
	switch unused := 64 - 8*t.Size; {
	case t.Kind == Uint && unused > 0:
		for i, v := range to {
			to[i] = v << unused >> unused
		}
	case t.Kind == Int && unused > 0:
		for i, v := range to {
			to[i] = uint64(int64(v<<unused) >> unused)
		}
	case t.Fractional() && unused > 0:
		for i, v := range to {
			to[i] = math.Float64bits(t.float(v))
		}
	}
}

func (t Type) bits(to []uint64, raw []byte) {
	little := binary.LittleEndian
	switch t.Size {
	case 1:
		for i := range to {
			to[i] = uint64(raw[i])
		}
	case 2:
		for i := range to {
			v := little.Uint16(raw[2*i:])
			if t.Big {
				v = bits.ReverseBytes16(v)
			}
			to[i] = uint64(v)
		}
	case 4:
		for i := range to {
			v := little.Uint32(raw[4*i:])
			if t.Big {
				v = bits.ReverseBytes32(v)
			}
			to[i] = uint64(v)
		}
	default:
		for i := range to {
			v := little.Uint64(raw[8*i:])
			if t.Big {
				v = bits.ReverseBytes64(v)
			}
			to[i] = v
		}
	}
}

// float is the value of the bits of a float of less than 64.
func (t Type) float(v uint64) float64 {
	switch {
	case t.Kind == BFloat:
		return float64(math.Float32frombits(uint32(v) << 16))
	case t.Size == 2:
		return half(uint16(v))
	}
	return float64(math.Float32frombits(uint32(v)))
}

// half returns the value of an IEEE 754 number of 16 bits: a sign, 5 bits of exponent with the
// bias 15, 10 bits of fraction.
func half(v uint16) float64 {
	const infinite, scale = 0x1f << 10, 0x1p112 // between the biases of 16 and of 32 bits
	bits := uint32(v&0x7fff) << 13
	if v&infinite == infinite {
		bits |= 0xff << 23
	}
	f := float64(math.Float32frombits(bits))
	return math.Copysign(f*scale, 1-2*float64(v>>15))
}
