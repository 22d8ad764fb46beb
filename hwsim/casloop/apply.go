package casloop

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/atomtune/atomtune/device"
)

// The quiet NaN without payload, as bits of each type.
const (
	NaN32 uint32 = 0x7fc00000
	NaN64 uint64 = 0x7ff8000000000000
)

// Apply32 returns the bits of an f32 target after an update by a (and b), which
// the package's documentation defines. An operation that is none leaves the target.
func Apply32(o device.Op, old, a, b uint32) uint32 {
	x, y := math.Float32frombits(old), math.Float32frombits(a)
	switch o {
	case device.Add:
		return bits32(x + y)
	case device.Mul:
		return bits32(x * y)
	case device.Mad:
		return bits32(fused32(y, math.Float32frombits(b), x))
	case device.Div:
		return bits32(x / y)
	case device.Min:
		if below(float64(y), float64(x)) {
			return a
		}
	case device.Max:
		if below(-float64(y), -float64(x)) {
			return a
		}
	}
	return old
}

// Apply64 is Apply32 for f64.
func Apply64(o device.Op, old, a, b uint64) uint64 {
	x, y := math.Float64frombits(old), math.Float64frombits(a)
	switch o {
	case device.Add:
		return bits64(x + y)
	case device.Mul:
		return bits64(x * y)
	case device.Mad:
		return bits64(math.FMA(y, math.Float64frombits(b), x))
	case device.Div:
		return bits64(x / y)
	case device.Min:
		if below(y, x) {
			return a
		}
	case device.Max:
		if below(-y, -x) {
			return a
		}
	}
	return old
}

// bits32 returns the bits of x, NaN without payload.
func bits32(x float32) uint32 {
	if x != x {
		return NaN32
	}
	return math.Float32bits(x)
}

func bits64(x float64) uint64 {
	if x != x {
		return NaN64
	}
	return math.Float64bits(x)
}

// fused32 returns a·b + c rounded once. The product is exact in 64 bits, the sum
// need not be: it is rounded to odd, after which rounding to 32 bits gives what
// rounding the exact sum gives [Boldo and Melquiond, Emulation of a FMA and
// correctly rounded sums, IEEE Transactions on Computers 57(4), 2008].
func fused32(a, b, c float32) float32 {
	product, addend := float64(a)*float64(b), float64(c)
	sum := product + addend
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return float32(sum)
	}
	// The error of the sum, exact [Knuth, The Art of Computer Programming 2, 4.2.2].
	part := sum - product
	rest := (product - (sum - part)) + (addend - part)
	bits := math.Float64bits(sum)
	if rest != 0 && bits&1 == 0 {
		if (rest > 0) == (sum > 0) {
			bits++
		} else {
			bits--
		}
	}
	return float32(math.Float64frombits(bits))
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

// ErrOp is wrapped where a type has no such operation.
var ErrOp = errors.New("no such float operation")

// Operand is what an update brings, as bits of the type; 32-bit types use the
// lower half. Only Mad reads B.
type Operand struct{ A, B uint64 }

// Func makes of the bits of a target those after an update.
type Func func(old uint64, x Operand) uint64

// FuncOf returns the operation on type t, F32 or F64. Errors wrap ErrOp.
func FuncOf(o device.Op, t device.Type) (Func, error) {
	switch {
	case o > device.Max:
	case t == device.F32:
		return func(old uint64, x Operand) uint64 {
			return uint64(Apply32(o, uint32(old), uint32(x.A), uint32(x.B)))
		}, nil
	case t == device.F64:
		return func(old uint64, x Operand) uint64 { return Apply64(o, old, x.A, x.B) }, nil
	}
	return nil, fmt.Errorf("%w: %s on type %s (there are f32 and f64)", ErrOp, o, t)
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
