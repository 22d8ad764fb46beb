package casloop

import (
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/device"
)

// ErrOp is wrapped where a text names no operation or a type has none.
var ErrOp = errors.New("no such float operation")

// Op is an operation of package device, on a float target.
type Op device.Op

// The operations.
const (
	Add = Op(device.Add)
	Mul = Op(device.Mul)
	Mad = Op(device.Mad) // adds the product of two operands
	Div = Op(device.Div)
	Min = Op(device.Min)
	Max = Op(device.Max)
)

// Ops lists the operations in the order of the tables.
func Ops() []Op { return []Op{Add, Mul, Mad, Div, Min, Max} }

// Parse reads an operation's name. Errors wrap ErrOp.
func Parse(name string) (Op, error) {
	o, err := device.ParseOp(name)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrOp, err)
	}
	return Op(o), nil
}

// String returns the operation's name.
func (o Op) String() string { return device.Op(o).String() }

// known reports whether the operation is one of those listed.
func (o Op) known() bool { return o <= Max }

// MarshalText writes the operation's name. Errors wrap ErrOp.
func (o Op) MarshalText() ([]byte, error) {
	if !o.known() {
		return nil, fmt.Errorf("%w: %s", ErrOp, o)
	}
	return device.Op(o).MarshalText()
}

// UnmarshalText reads a name as Parse does.
func (o *Op) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err == nil {
		*o = parsed
	}
	return err
}

// Operands returns how many operands an update brings: 2 for Mad, else 1.
func (o Op) Operands() int { return device.Op(o).Operands() }

// Operand is what an update brings, as bits of the type; 32-bit types use the
// lower half. Only Mad reads B.
type Operand struct{ A, B uint64 }

// Func makes of the bits of a target those after an update.
type Func func(old uint64, x Operand) uint64

// Func returns the operation on type t, F32 or F64. Errors wrap ErrOp.
func (o Op) Func(t device.Type) (Func, error) {
	if !o.known() {
		return nil, fmt.Errorf("%w: %s", ErrOp, o)
	}
	switch t {
	case device.F32:
		return func(old uint64, x Operand) uint64 {
			return uint64(o.Apply32(uint32(old), uint32(x.A), uint32(x.B)))
		}, nil
	case device.F64:
		return func(old uint64, x Operand) uint64 { return o.Apply64(old, x.A, x.B) }, nil
	}
	return nil, fmt.Errorf("%w: %s on type %s (there are f32 and f64)", ErrOp, o, t)
}
