package arith

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/casloop"
)

// TestReferenceShowsEveryUpdate: a reference over a stream that lacks one update
// differs, so that a lost update of any operation is seen.
func TestReferenceShowsEveryUpdate(t *testing.T) {
	indices := make([]uint32, 64)
	for i := range indices {
		indices[i] = uint32(i) % 16
	}
	for _, o := range device.Ops() {
		for _, typ := range device.Types() {
			call := device.Call{Op: o, Type: typ}
			whole := Reference(call, 5, indices, 16)
			seen := 0
			for n := range indices {
				if !slices.Equal(Reference(call, 5, indices[:n], 16), whole) {
					seen++
				}
			}
			if seen < len(indices)*3/4 {
				t.Errorf("%s %s: only %d of %d shorter streams have another result", o, typ, seen, len(indices))
			}
		}
	}
}

// TestApply compares the operations on floats with those of package casloop,
// and those on integers with what they are in 64 bits.
func TestApply(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 20000 {
		for _, typ := range []device.Type{device.F32, device.F64} {
			x, a, b := PatternOf(typ, rng.NormFloat64()), PatternOf(typ, rng.NormFloat64()),
				PatternOf(typ, math.Ldexp(rng.NormFloat64(), -rng.IntN(30)))
			for _, o := range device.Ops() {
				f, err := casloop.FuncOf(o, typ)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := Apply(o, typ, x, a, b), f(x, casloop.Operand{A: a, B: b}); got != want {
					t.Fatalf("%s %s of %#x, %#x, %#x is %#x, want %#x", o, typ, x, a, b, got, want)
				}
			}
		}
		x, a, b := rng.Int32(), 1+rng.Int32N(1000), rng.Int32N(2000)-1000
		wide := map[device.Op]int64{
			device.Add: int64(x) + int64(a), device.Mul: int64(x) * int64(a),
			device.Mad: int64(x) + int64(a)*int64(b),
			device.Div: int64(x) / int64(a), device.Min: min(int64(x), int64(a)),
			device.Max: max(int64(x), int64(a)),
		}
		for o, want := range wide {
			for _, typ := range []device.Type{device.I32, device.U32, device.I64} {
				if typ == device.U32 && o == device.Mad && b < 0 {
					continue
				}
				got := Apply(o, typ, fitted(typ, uint64(x)), fitted(typ, uint64(a)),
					fitted(typ, uint64(int64(b))))
				if got != fitted(typ, uint64(want)) {
					t.Fatalf("%s %s of %d, %d, %d is %#x, want %#x", o, typ, x, a, b, got, want)
				}
			}
		}
	}
}
