package arith

import (
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// Values draws what the updates bring, so that results are exact in any order of the
// updates; nil where it is the constant 1. To add and for mad: integers from -7 to 7 (0 to 14
// unsigned), floats from -7/8 to 7/8 in steps of 1/8, of which sums of up to 2^21 are exact.
// For extremes: any numbers. For products of integers: odd ones, for quotients 1 to 3. For
// products and quotients of floats: 1 and -1 and, at most 96 times, a half or 2, by which no
// partial result overflows.
func Values(call device.Call, seed uint64, n int) []uint64 {
	if call.Operand == device.One {
		return nil
	}
	out := make([]uint64, n)
	o, t, scaled, every := call.Op, call.Type, 0, uint64(max(2, n/32))
	for i := range out {
		h := splitmix.Mix(seed + uint64(i)*splitmix.Golden)
		switch {
		case o == device.Add || o == device.Mad || o.Extreme():
			out[i] = Drawn(call, h)
		case !t.Float() && o == device.Mul:
			out[i] = fitted(t, h|1)
		case !t.Float():
			out[i] = 1 + h%3
		default:
			v := 1 - 2*float64(h&1)
			if h>>8%every == 0 && scaled < 96 {
				v *= 0.5 + 1.5*float64(h>>1&1)
				scaled++
			}
			out[i] = PatternOf(t, v)
		}
	}
	return out
}

// Drawn is the value to add, or to take an extreme with, that a hash draws.
func Drawn(c device.Call, h uint64) uint64 {
	t := c.Type
	switch small := int64(h%15) - 7; {
	case c.Op.Extreme() && t.Float():
		return PatternOf(t, float64(int64(h)>>43)/8)
	case c.Op.Extreme():
		return fitted(t, h)
	case t.Float():
		return PatternOf(t, float64(small)/8)
	case t == device.U32 || t == device.U64:
		return h % 15
	default:
		return fitted(t, uint64(small))
	}
}

// bound returns the largest error that the order of additions may cause: 0
// while all partial sums are exact, that is while the highest frequency times
// the largest value stays below 2^24 (f32) or 2^53 (f64) units of 1/8 (1/64 of
// mad, or 1), and otherwise the classical (f-1)·eps·f·max|v| for f additions.
func bound(call device.Call, indices []uint32, bins uint64) float64 {
	if !call.Type.Float() || call.Op != device.Add && call.Op != device.Mad {
		return 0
	}
	counts := make([]uint32, bins)
	highest := uint32(0)
	for _, x := range indices {
		counts[x]++
		highest = max(highest, counts[x])
	}
	f, units, eps := float64(highest), 7.0, 0x1p-24
	if call.Op == device.Mad {
		units *= units // of 1/64
	}
	if call.Operand == device.One {
		units = 1
	}
	if call.Type == device.F64 {
		eps = 0x1p-53
	}
	if f*units < 1/eps {
		return 0
	}
	return f * f * eps
}

// Correct reports whether the final array is that of the updates made serially,
// as far as the order of additions lets it be.
func Correct(call device.Call, seed uint64, indices []uint32, bins uint64, final []uint64) bool {
	want := Reference(call, seed, indices, bins)
	return Matches(call.Type, final, want, bound(call, indices, bins))
}

func Matches(t device.Type, got, want []uint64, bound float64) bool {
	for i := range want {
		if got[i] == want[i] {
			continue
		}
		a, b := Float(t, got[i]), Float(t, want[i])
		if !t.Float() || !(math.Abs(a-b) <= bound) {
			return false
		}
	}
	return len(got) == len(want)
}

// Factors draws the second operands of mad; nil if there are none or where
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
	out := Before(call, seed, bins)
	if call.Type = wide; wide != t {
		for _, patterns := range [][]uint64{a, b, out} {
			for i, v := range patterns {
				patterns[i] = math.Float64bits(Float(t, v))
			}
		}
	}
	one := OneOf(wide)
	x, y := one, one // the constant, where none are drawn
	for i, k := range indices {
		if a != nil {
			x = a[i]
		}
		if b != nil {
			y = b[i]
		}
		out[k] = Apply(call.Op, wide, out[k], x, y)
	}
	if wide != t {
		for k, v := range out {
			out[k] = PatternOf(t, math.Float64frombits(v))
		}
	}
	return out
}
