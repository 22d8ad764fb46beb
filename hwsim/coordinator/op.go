package coordinator

// Op is what an atomic operation makes of a variable.
type Op uint8

// The operations. [elteir11] section IV-A has Add and leaves the others for future work: with
// Add and CompareExchange it names the core of all.
const (
	Add             Op = iota // the old value and the operand, modulo 2^32
	Exchange                  // the operand
	CompareExchange           // the operand where the old value is the expected one

	ops
)

// apply returns what the variable holds after the operation.
func (o Op) apply(old, operand, expected uint32) uint32 {
	switch {
	case o == Add:
		return old + operand
	case o == CompareExchange && old != expected:
		return old
	}
	return operand
}

// request is the word that asks the coordinator: an operation and a variable, 0 for none.
type request uint32

func requestOf(o Op, variable int) request { return request(variable*int(ops)+int(o)) + 1 }

func (r request) op() Op        { return Op((r - 1) % request(ops)) }
func (r request) variable() int { return int((r - 1) / request(ops)) }

// names reports whether both ask for one variable.
func (r request) names(other request) bool { return r != 0 && r.variable() == other.variable() }
