package arith

import (
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// drawOperands draws what the updates of operations other than add bring, so
// that results are exact in any order of the updates: for extremes any numbers;
// for products of integers odd ones, for quotients of integers 1 to 3; for
// products and quotients of floats 1 and -1 and, at most 96 times, a half or 2,
// which no partial result overflows by. Of mad, each operand is as for add.
func drawOperands(call device.Call, seed uint64, n int) []uint64 {
	out := make([]uint64, n)
	scaled, every := 0, uint64(max(2, n/32))
	for i := range out {
		h := splitmix.Mix(seed + uint64(i)*splitmix.Golden)
		switch {
		case call.Op.Extreme():
			out[i] = anyNumber(call.Type, h)
		case !call.Type.Float() && call.Op == device.Mul:
			out[i] = fitted(call.Type, h|1)
		case !call.Type.Float():
			out[i] = 1 + h%3
		default:
			v := 1 - 2*float64(h&1)
			if h>>8%every == 0 && scaled < 96 {
				v *= 0.5 + 1.5*float64(h>>1&1)
				scaled++
			}
			out[i] = PatternOf(call.Type, v)
		}
	}
	return out
}

// fitted cuts a pattern off to the width of the type.
func fitted(t device.Type, pattern uint64) uint64 {
	if t.Bytes() == 4 {
		return uint64(uint32(pattern))
	}
	return pattern
}

// anyNumber makes a number of the type from random bits.
func anyNumber(t device.Type, h uint64) uint64 {
	if !t.Float() {
		return fitted(t, h)
	}
	return PatternOf(t, float64(int64(h)>>43)/8)
}

func PatternOf(t device.Type, v float64) uint64 {
	if t == device.F32 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// Factors draws the second operands of mad; nil where there are none or where
// they are the constant 1.
func Factors(call device.Call, seed uint64, n int) []uint64 {
	if call.Op != device.Mad {
		return nil
	}
	return Values(call, splitmix.Mix(seed+1), n)
}

// Reference makes the updates serially in the stream's order and returns the bit
// patterns of the targets. Sums of floats, and of their products, are made in
// double precision.
func Reference(call device.Call, seed uint64, indices []uint32, bins uint64) []uint64 {
	t, wide := call.Type, call.Type
	if t == device.F32 && (call.Op == device.Add || call.Op == device.Mad) {
		wide = device.F64
	}
	a, b := Values(call, seed, len(indices)), Factors(call, seed, len(indices))
	start := call
	start.Type = wide
	out := make([]uint64, bins)
	for k := range out {
		out[k] = Cleared(start)
	}
	operand := func(drawn []uint64, i int) uint64 {
		switch {
		case drawn == nil: // the constant 1
			return OneOf(wide)
		case wide != t:
			return math.Float64bits(Float(t, drawn[i]))
		}
		return drawn[i]
	}
	for i, x := range indices {
		out[x] = Apply(call.Op, wide, out[x], operand(a, i), operand(b, i))
	}
	if wide != t {
		for k, v := range out {
			out[k] = PatternOf(t, math.Float64frombits(v))
		}
	}
	return out
}
