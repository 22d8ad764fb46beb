package portable

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"golang.org/x/sys/cpu"
)

// functions are those of one argument, beside those of package math, and where their arguments lie.
var functions = []struct {
	name      string
	own, math func(float64) float64
	low, high float64
}{
	{"Exp", Exp, math.Exp, -760, 720},
	{"Exp near 0", Exp, math.Exp, -2, 2},
	{"Exp2", Exp2, math.Exp2, -1100, 1050},
	{"Log", Log, math.Log, 0, 1e6},
	{"Log near 1", Log, math.Log, 0.5, 2},
	{"Log2", Log2, math.Log2, 0, 1e6},
	{"Log10", Log10, math.Log10, 0, 1e6},
	{"Log1p", Log1p, math.Log1p, -1, 3},
	{"Log1p near 0", Log1p, math.Log1p, -1e-5, 1e-5},
	{"Log1p far", Log1p, math.Log1p, 0, 1e17},
	{"Expm1", Expm1, math.Expm1, -45, 715},
	{"Expm1 near 0", Expm1, math.Expm1, -3, 3},
	{"Erfc", Erfc, math.Erfc, -7, 30},
	{"Erfc near 0", Erfc, math.Erfc, -1.5, 1.5},
}

const drawn = 200_000

// special are arguments at which functions have cases of their own.
var special = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2, 0.25, 8, 1e-9, -1e-9, 1e-17, -1e-17, 1e-300,
	1e300, 709.782712893384, 709.7827128933841, -745.2, 1024, -1075, math.Inf(1), math.Inf(-1), math.NaN(),
	math.Sqrt2, math.Sqrt2 / 2, math.Sqrt2 - 1, math.Sqrt2/2 - 1, 28, -6, 6, 1 << 53, 1 << 54, math.MaxFloat64,
	0x1p-29, 0x1p-20, -0x1p-20, 3, 7}

// same reports whether two numbers have the same bits, or are none.
func same(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y }

// near reports whether two numbers are as close as ways to compute them may come.
func near(x, y float64) bool {
	return same(x, y) || x == math.Inf(1) && y > 1.797e308 || math.Abs(x-y) <= 1e-13*math.Abs(y)+5e-324
}

// agree is how close results must come to those of package math here: equal, where that computes
// what this package does.
func agree() func(x, y float64) bool {
	if runtime.GOARCH == "amd64" && cpu.X86.HasFMA {
		return same
	}
	return near
}

func TestFunctions(t *testing.T) {
	for _, f := range functions {
		rng, agree := rand.New(rand.NewPCG(1, 2)), agree()
		check := func(x float64) {
			if got, want := f.own(x), f.math(x); !agree(got, want) {
				t.Fatalf("%s of %v = %v, package math says %v", f.name, x, got, want)
			}
		}
		for _, x := range special {
			check(x)
		}
		for range drawn {
			check(f.low + rng.Float64()*(f.high-f.low))
		}
	}
}

func TestFunctionsOfTwo(t *testing.T) {
	rng, agree := rand.New(rand.NewPCG(1, 2)), agree()
	check := func(x, y float64) {
		if got, want := Pow(x, y), math.Pow(x, y); !agree(got, want) {
			t.Fatalf("Pow(%v, %v) = %v, package math says %v", x, y, got, want)
		}
		if got, want := Hypot(x, y), math.Hypot(x, y); !agree(got, want) {
			t.Fatalf("Hypot(%v, %v) = %v, package math says %v", x, y, got, want)
		}
	}
	for _, x := range special {
		for _, y := range special {
			check(x, y)
		}
	}
	for range drawn {
		check(rng.Float64(), 100*rng.Float64())
		check(1e3*rng.Float64(), 20*rng.NormFloat64())
		check(math.Ldexp(rng.Float64(), rng.IntN(2000)-1000), 3*rng.NormFloat64())
	}
}

// TestSameEverywhere holds the bits of all functions, whichever processor runs the test.
func TestSameEverywhere(t *testing.T) {
	all := fnv.New64a()
	add := func(x float64) {
		if x != x {
			x = math.NaN()
		}
		binary.Write(all, binary.LittleEndian, math.Float64bits(x))
	}
	for _, f := range functions {
		rng := rand.New(rand.NewPCG(3, 4))
		for range 2000 {
			add(f.own(f.low + float64(rng.Float64()*(f.high-f.low))))
		}
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		add(Pow(rng.Float64(), 100*rng.Float64()))
		add(Hypot(rng.Float64(), rng.Float64()))
	}
	if got, want := all.Sum64(), uint64(0x29b805197b10734d); got != want {
		t.Errorf("the bits hash to %#x, want %#x", got, want)
	}
}
