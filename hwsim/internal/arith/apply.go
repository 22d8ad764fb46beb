// Package arith makes updates on the bit patterns of their types, draws what they
// bring, and makes them serially as a reference for simulated ones.
package arith

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// Apply returns the target after an update by a, and by b where the operation
// takes two operands. All are bit patterns of the type, of numbers.
func Apply(o device.Op, t device.Type, target, a, b uint64) uint64 {
	switch {
	case o == device.Add:
		return Sum(t, target, a)
	case t == device.U32:
		return uint64(operate(o, uint32(target), uint32(a), uint32(b)))
	case t == device.I32:
		return uint64(uint32(operate(o, int32(target), int32(a), int32(b))))
	case t == device.U64:
		return operate(o, target, a, b)
	case t == device.I64:
		return uint64(operate(o, int64(target), int64(a), int64(b)))
	}
	x, y, z := Float(t, target), Float(t, a), Float(t, b)
	switch {
	case o != device.Mad: // of f32, rounding to 64 bits first changes no result
		return PatternOf(t, operate(o, x, y, z))
	case t == device.F32:
		return PatternOf(t, fused32(y, z, x))
	}
	return PatternOf(t, math.FMA(y, z, x))
}

func operate[T uint32 | int32 | uint64 | int64 | float64](o device.Op, x, a, b T) T {
	switch o {
	case device.Mul:
		return x * a
	case device.Mad:
		return x + T(a*b) // of integers; fused32 and math.FMA are for floats
	case device.Div:
		return x / a
	case device.Min:
		return min(x, a)
	case device.Max:
		return max(x, a)
	}
	return x + a
}

// fused32 returns a·b + c, of numbers of 32 bits, so that rounding it to 32 bits rounds once:
// the product is exact in 64 bits, and the sum is rounded to odd there [Boldo and Melquiond,
// Emulation of a FMA and correctly rounded sums, IEEE Transactions on Computers 57(4), 2008].
func fused32(a, b, c float64) float64 {
	product := a * b
	total := product + c
	part := total - product
	rest := (product - (total - part)) + (c - part)
	pattern := math.Float64bits(total)
	switch {
	case rest == 0 || pattern&1 != 0:
		return total
	case (rest > 0) == (total > 0):
		return math.Float64frombits(pattern + 1)
	}
	return math.Float64frombits(pattern - 1)
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

// Before returns what the targets hold before the first update: what clearing left, or
// drawn numbers where the call keeps existing values. Quotients of integers begin near the greatest.
func Before(c device.Call, seed, bins uint64) []uint64 {
	out := slices.Repeat([]uint64{Cleared(c)}, int(bins))
	if !c.Keeps {
		return out
	}
	drawn := c
	drawn.Operand = device.Loaded
	for k, v := range Values(drawn, splitmix.Mix(seed+2), int(bins)) {
		if c.Op == device.Div && !c.Type.Float() {
			v = out[k] - v
		}
		out[k] = v
	}
	return out
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

func Sum(t device.Type, a, b uint64) uint64 {
	switch t {
	case device.U32, device.I32:
		return uint64(uint32(a) + uint32(b))
	case device.F32:
		sum := math.Float32frombits(uint32(a)) + math.Float32frombits(uint32(b))
		return uint64(math.Float32bits(sum))
	case device.F64:
		return math.Float64bits(math.Float64frombits(a) + math.Float64frombits(b))
	}
	return a + b
}

func Number(t device.Type, n uint64) uint64 {
	if t.Float() {
		return PatternOf(t, float64(n))
	}
	return n
}

func OneOf(t device.Type) uint64 { return Number(t, 1) }

// Float returns the number that a pattern of a float type stands for.
func Float(t device.Type, bits uint64) float64 {
	if t == device.F32 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// PatternOf is the inverse of Float, rounded to the type.
func PatternOf(t device.Type, v float64) uint64 {
	if t == device.F32 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

func fitted(t device.Type, pattern uint64) uint64 {
	if t.Bytes() == 4 {
		return uint64(uint32(pattern))
	}
	return pattern
}
