package casloop

import (
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/device"
)

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
