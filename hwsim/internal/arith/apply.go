// Package arith makes updates on the bit patterns of their types, draws what they
// bring, and makes them serially as a reference for simulated ones.
package arith

import (
	"math"

	"github.com/atomtune/atomtune/device"
)

// Apply returns the target after an update by a, and by b where the operation
// takes two operands. All are bit patterns of the type, of numbers.
func Apply(o device.Op, t device.Type, target, a, b uint64) uint64 {
	if o == device.Add {
		return Sum(t, target, a)
	}
	switch t {
	case device.U32:
		return uint64(operate(o, uint32(target), uint32(a), uint32(b)))
	case device.I32:
		return uint64(uint32(operate(o, int32(target), int32(a), int32(b))))
	case device.U64:
		return operate(o, target, a, b)
	case device.I64:
		return uint64(operate(o, int64(target), int64(a), int64(b)))
	case device.F32:
		x, y, z := math.Float32frombits(uint32(target)), math.Float32frombits(uint32(a)),
			math.Float32frombits(uint32(b))
		if o == device.Mad {
			return uint64(math.Float32bits(fused32(y, z, x)))
		}
		return uint64(math.Float32bits(operate(o, x, y, z)))
	}
	x, y, z := math.Float64frombits(target), math.Float64frombits(a), math.Float64frombits(b)
	if o == device.Mad {
		return math.Float64bits(math.FMA(y, z, x))
	}
	return math.Float64bits(operate(o, x, y, z))
}

func operate[T uint32 | int32 | uint64 | int64 | float32 | float64](o device.Op, x, a, b T) T {
	switch o {
	case device.Mul:
		return x * a
	case device.Mad:
		return x + a*b // of integers; fused32 and math.FMA are for floats
	case device.Div:
		return x / a
	case device.Min:
		return min(x, a)
	case device.Max:
		return max(x, a)
	}
	return x + a
}

// fused32 returns a·b + c rounded once: the product is exact in 64 bits, and a
// sum rounded to odd there may be rounded again [Boldo and Melquiond, Emulation
// of a FMA and correctly rounded sums, IEEE Transactions on Computers 57(4),
// 2008].
func fused32(a, b, c float32) float32 {
	product, addend := float64(a)*float64(b), float64(c)
	total := product + addend
	part := total - product
	rest := (product - (total - part)) + (addend - part)
	if pattern := math.Float64bits(total); rest != 0 && pattern&1 == 0 {
		if (rest > 0) == (total > 0) {
			return float32(math.Float64frombits(pattern + 1))
		}
		return float32(math.Float64frombits(pattern - 1))
	}
	return float32(total)
}

// Partial is the operation that makes one of two partial results: div keeps the
// product of the divisors, and divides the target by it.
func Partial(o device.Op) device.Op {
	if o == device.Div {
		return device.Mul
	}
	return o
}

// Neutral returns the partial result of no updates.
func Neutral(c device.Call) uint64 {
	switch c.Op {
	case device.Mul, device.Div:
		return OneOf(c.Type)
	case device.Min, device.Max:
		return furthest(c.Type, c.Op == device.Min)
	}
	return 0
}

// Cleared returns what a target holds before the first update: 0 for sums, 1
// for products and quotients, the greatest number for quotients of integers,
// and what any other number takes the place of for extremes.
func Cleared(c device.Call) uint64 {
	if c.Op == device.Div && !c.Type.Float() {
		return furthest(c.Type, true)
	}
	return Neutral(c)
}

// furthest returns the greatest or the least value of a type.
func furthest(t device.Type, greatest bool) uint64 {
	sign, last := -1, uint64(1)<<(8*t.Bytes()-1) // as a signed integer, the least one
	if greatest {
		sign, last = 1, last-1
	}
	switch {
	case t.Float():
		return PatternOf(t, math.Inf(sign))
	case t == device.I32 || t == device.I64:
		return last
	case greatest:
		return fitted(t, math.MaxUint64)
	}
	return 0
}

// Sum adds two values of the element type, given as bit patterns.
func Sum(t device.Type, a, b uint64) uint64 {
	switch t {
	case device.U32, device.I32:
		return uint64(uint32(a) + uint32(b))
	case device.F32:
		return uint64(math.Float32bits(math.Float32frombits(uint32(a)) + math.Float32frombits(uint32(b))))
	case device.F64:
		return math.Float64bits(math.Float64frombits(a) + math.Float64frombits(b))
	}
	return a + b
}

// Number returns the bit pattern of a whole number in the element type.
func Number(t device.Type, n uint64) uint64 {
	if t.Float() {
		return PatternOf(t, float64(n))
	}
	return n
}

// OneOf returns the bit pattern of 1 in the type.
func OneOf(t device.Type) uint64 { return Number(t, 1) }
