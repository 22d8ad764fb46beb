package coordinator

import "fmt"

// Operation is an atomic read-modify-write of OpenCL on a word of 32 bits. It
// returns the old value.
type Operation uint8

// The six operations of OpenCL 1.1 section 9.5. [elteir11] has the first one.
const (
	Add             Operation = iota // old + operand
	Subtract                         // old - operand
	Increment                        // old + 1
	Decrement                        // old - 1
	Exchange                         // operand
	CompareExchange                  // operand where old equals compare, else old
)

var operationNames = [...]string{"add", "sub", "inc", "dec", "xchg", "cmpxchg"}

// String returns the name of the OpenCL function, without its prefix.
func (o Operation) String() string {
	if int(o) < len(operationNames) {
		return operationNames[o]
	}
	return fmt.Sprintf("Operation(%d)", uint8(o))
}

// Apply returns the new value, modulo 2^32.
func (o Operation) Apply(old, operand, compare uint32) uint32 {
	switch o {
	case Exchange:
		return operand
	case CompareExchange:
		if old != compare {
			return old
		}
		return operand
	}
	return old + o.addend(operand)
}

// adds reports whether the operation adds something that does not depend on
// the old value: such operations combine by their sum.
func (o Operation) adds() bool { return o <= Decrement }

// addend is what an operation that adds adds.
func (o Operation) addend(operand uint32) uint32 {
	switch o {
	case Subtract:
		return -operand
	case Increment:
		return 1
	case Decrement:
		return ^uint32(0)
	}
	return operand
}

// combined is the operation that a whole wavefront's request stands for.
func (o Operation) combined() Operation {
	if o.adds() {
		return Add
	}
	return o
}
