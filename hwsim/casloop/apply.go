package casloop

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/atomtune/atomtune/device"
)

// Operand is what an update brings, as bits of the type; 32-bit types use the
// lower half. Only Mad reads B.
type Operand struct{ A, B uint64 }

// Func makes of the bits of a target those after an update.
type Func func(old uint64, x Operand) uint64

// ErrOp is wrapped where a type has no such operation.
var ErrOp = errors.New("no such float operation")

// FuncOf returns the operation on type t, F32 or F64, which the package's documentation
// defines. Errors wrap ErrOp.
func FuncOf(o device.Op, t device.Type) (Func, error) {
	if o > device.Max || t != device.F32 && t != device.F64 {
		return nil, fmt.Errorf("%w: %s on type %s (there are f32 and f64)", ErrOp, o, t)
	}
	return func(old uint64, x Operand) uint64 {
		target, a, b := number(t, old), number(t, x.A), number(t, x.B)
		switch o { // rounding to 64 bits first changes no sum, product or quotient of 32 bits
		case device.Add:
			return pattern(t, target+a)
		case device.Mul:
			return pattern(t, target*a)
		case device.Div:
			return pattern(t, target/a)
		case device.Mad:
			if t == device.F32 {
				return pattern(t, fused32(a, b, target))
			}
			return pattern(t, math.FMA(a, b, target))
		case device.Min:
			if below(a, target) {
				return pattern(t, a)
			}
		case device.Max:
			if below(-a, -target) {
				return pattern(t, a)
			}
		}
		return old
	}, nil
}

// number returns the number that bits of a type stand for.
func number(t device.Type, bits uint64) float64 {
	if t == device.F32 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// pattern returns the bits of x in a type, NaN quiet and without payload.
func pattern(t device.Type, x float64) uint64 {
	switch {
	case t == device.F32 && x != x:
		return 0x7fc00000
	case t == device.F32:
		return uint64(math.Float32bits(float32(x)))
	case x != x:
		return 0x7ff8000000000000
	}
	return math.Float64bits(x)
}

// fused32 returns a·b + c, of numbers of 32 bits, so that rounding it to 32 bits rounds once.
// The product is exact in 64 bits, the sum need not be: it is rounded to odd, after which
// rounding to 32 bits gives what rounding the exact sum gives [Boldo and Melquiond, Emulation
// of a FMA and correctly rounded sums, IEEE Transactions on Computers 57(4), 2008].
func fused32(a, b, c float64) float64 {
	product := a * b
	sum := product + c
	// The error of the sum, exact [Knuth, The Art of Computer Programming 2, 4.2.2].
	part := sum - product
	rest := (product - (sum - part)) + (c - part)
	bits := math.Float64bits(sum)
	switch {
	case math.IsNaN(sum) || math.IsInf(sum, 0) || rest == 0 || bits&1 != 0:
		return sum
	case (rest > 0) == (sum > 0):
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}

// below reports whether a takes the place of the target as a smaller number: any
// number does of a NaN, and -0 of 0. Numbers of 32 bits keep their order in 64.
func below(a, old float64) bool {
	switch {
	case math.IsNaN(a) || math.IsNaN(old):
		return !math.IsNaN(a)
	case a == old:
		return math.Signbit(a) && !math.Signbit(old)
	}
	return a < old
}

// memory is a target in global memory and the copies of it that work-groups keep.
type memory struct {
	value   uint64
	copies  []groupCopy
	refresh float64 // probability that a read finds no copy
	random  *rand.Rand
}

// groupCopy is what a work-group has read of the target, if it has.
type groupCopy struct {
	value uint64
	valid bool
}

// read is an ordinary read by a lane of the group: of the group's copy where the
// device still keeps one, else of memory.
func (m *memory) read(group int) uint64 {
	c := &m.copies[group]
	if !c.valid || m.refresh > 0 && m.random.Float64() < m.refresh {
		*c = groupCopy{value: m.value, valid: true}
	}
	return c.value
}

// exchange is atomic_cmpxchg. It acts on memory and leaves the copies as they are.
func (m *memory) exchange(expected, next uint64) (old uint64) {
	old = m.value
	if old == expected {
		m.value = next
	}
	return old
}

// mayRead reports whether a read by the group may return what memory holds.
func (m *memory) mayRead(group int) bool {
	c := m.copies[group]
	return m.refresh > 0 || !c.valid || c.value == m.value
}
