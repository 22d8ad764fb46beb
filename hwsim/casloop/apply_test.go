package casloop

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/device"
)

const NaN32 = 0x7fc00000

func bits32(x float32) uint32 { return uint32(pattern(device.F32, float64(x))) }
func bits64(x float64) uint64 { return pattern(device.F64, x) }

// Apply32 makes an update of an f32 target, given as bits.
func Apply32(o device.Op, old, a, b uint32) uint32 {
	f, _ := FuncOf(o, device.F32)
	return uint32(f(uint64(old), Operand{A: uint64(a), B: uint64(b)}))
}

// Apply64 is Apply32 for f64.
func Apply64(o device.Op, old, a, b uint64) uint64 {
	f, _ := FuncOf(o, device.F64)
	return f(old, Operand{A: a, B: b})
}

// anyBits32 draws floats of all kinds: any bits, small exponents near each other,
// and a handful of special ones.
func anyBits32(random *rand.Rand) uint32 {
	special := []uint32{0, 1 << 31, 1, 0x807fffff, 0x00800000, 0x7f7fffff, 0x7f800000, 0xff800000,
		NaN32}
	switch random.IntN(4) {
	case 0:
		return special[random.IntN(len(special))]
	case 1:
		return random.Uint32()
	}
	return random.Uint32()&0x807fffff | uint32(100+random.IntN(50))<<23
}

// exact32 computes the operation without rounding in between, in math/big.
func exact32(o device.Op, x, a, b float32) float32 {
	number := func(f float32) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(float64(f)) }
	r := new(big.Float).SetPrec(2000)
	switch o {
	case device.Add:
		r.Add(number(x), number(a))
	case device.Mul:
		r.Mul(number(x), number(a))
	case device.Mad:
		r.Add(r.Mul(number(a), number(b)), number(x))
	case device.Div:
		r.Quo(number(x), number(a))
	}
	rounded, _ := r.Float32()
	return rounded
}

// TestApply32AgreesWithExactArithmetic: add, mul, mad and div of finite numbers
// are the exact result rounded once.
func TestApply32AgreesWithExactArithmetic(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	checked := map[device.Op]int{}
	for range 40000 {
		old, a, b := anyBits32(random), anyBits32(random), anyBits32(random)
		x, y, z := math.Float32frombits(old), math.Float32frombits(a), math.Float32frombits(b)
		if f := float64(x) + float64(y) + float64(z); math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		for _, o := range []device.Op{device.Add, device.Mul, device.Mad, device.Div} {
			if o == device.Div && y == 0 {
				continue
			}
			got, want := math.Float32frombits(Apply32(o, old, a, b)), exact32(o, x, y, z)
			if want != got {
				t.Errorf("%s of %g by %g, %g is %g, want %g", o, x, y, z, got, want)
			}
			if want == 0 && o != device.Add && o != device.Mad &&
				math.Signbit(float64(got)) != (math.Signbit(float64(x)) != math.Signbit(float64(y))) {
				t.Errorf("%s of %g by %g is %g, of the wrong sign", o, x, y, got)
			}
			checked[o]++
		}
	}
	for _, o := range []device.Op{device.Add, device.Mul, device.Mad, device.Div} {
		if checked[o] < 10000 {
			t.Errorf("%s was checked on %d numbers only", o, checked[o])
		}
	}
}

// TestMadRoundsOnce: sums that rounding the product, or the sum to 64 bits, gets
// wrong.
func TestMadRoundsOnce(t *testing.T) {
	for _, c := range []struct{ x, a, b, want float32 }{
		{-1 - 0x1p-22, 1 + 0x1p-23, 1 + 0x1p-23, 0x1p-46},
		// a·b is 2^-24 + 2^-54, just above the half unit of a tie.
		{1, 1 + 0x1p-10, 0x1p-24 * (1 - 0x1p-10 + 0x1p-20), 1 + 0x1p-23},
		{-1, 1 + 0x1p-10, -0x1p-24 * (1 - 0x1p-10 + 0x1p-20), -1 - 0x1p-23},
	} {
		if got := math.Float32frombits(Apply32(device.Mad, bits32(c.x), bits32(c.a),
			bits32(c.b))); got != c.want {
			t.Errorf("%g + %g · %g is %g, want %g", c.x, c.a, c.b, got, c.want)
		}
	}
	wide := bits64(1 + 0x1p-52)
	if got := math.Float64frombits(Apply64(device.Mad, bits64(-1-0x1p-51), wide,
		wide)); got != 0x1p-104 {
		t.Errorf("the low bits of the 64-bit product are %g, want %g", got, 0x1p-104)
	}
}

// TestExtremes: minimum and maximum are those of math.Min and math.Max on numbers,
// give way to numbers, and end alike in any order.
func TestExtremes(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	for range 40000 {
		x, y := anyBits32(random), anyBits32(random)
		f, g := float64(math.Float32frombits(x)), float64(math.Float32frombits(y))
		for _, c := range []struct {
			op  device.Op
			two func(x, y float64) float64
		}{{device.Min, math.Min}, {device.Max, math.Max}} {
			want := c.two(f, g)
			if math.IsNaN(f) {
				want = g
			} else if math.IsNaN(g) {
				want = f
			}
			narrow := float64(math.Float32frombits(Apply32(c.op, x, y, 0)))
			wide := math.Float64frombits(Apply64(c.op, math.Float64bits(f), math.Float64bits(g), 0))
			for _, got := range []float64{narrow, wide} {
				if bits64(got) != bits64(want) {
					t.Fatalf("%s of %g and %g is %g, want %g", c.op, f, g, got, want)
				}
			}
		}
	}
	// Where both are NaN the target keeps its bits.
	if got := Apply32(device.Min, 0x7fc00001, 0xffc00002, 0); got != 0x7fc00001 {
		t.Errorf("the minimum of two NaN is %#x", got)
	}
}

// TestFunc: integers, and what is not an operation, have no function.
func TestFunc(t *testing.T) {
	for _, o := range append(device.Ops(), 9) {
		for _, typ := range device.Types() {
			if _, err := FuncOf(o, typ); (typ.Float() && o != 9) != (err == nil) || err != nil && !errors.Is(err, ErrOp) {
				t.Errorf("%s on %s: error %v", o, typ, err)
			}
		}
	}
}
