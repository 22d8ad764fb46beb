package device

// Op is what an update makes of its target x with its operand a, and of mad with a second operand
// b. Integers wrap around; quotients of integers are cut off towards zero.
type Op uint8

// The operations; [streamhpc] lists those on floats.
const (
	Add Op = iota // x + a
	Mul           // x · a
	Mad           // x + a · b, of floats rounded once
	Div           // x / a
	Min           // the smaller of x and a
	Max           // the larger of x and a
)

var opNames = [...]string{"add", "mul", "mad", "div", "min", "max"}

// Ops lists the operations in the order of the tables.
func Ops() []Op { return []Op{Add, Mul, Mad, Div, Min, Max} }

// ParseOp reads an operation's name. Errors wrap ErrType.
func ParseOp(name string) (Op, error) { return parse[Op](opNames[:], " of operation", name) }

// String returns the operation's name.
func (o Op) String() string { return nameOf(opNames[:], "Op", o) }

// MarshalText writes the operation's name.
func (o Op) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads a name as ParseOp does.
func (o *Op) UnmarshalText(text []byte) error { return unmarshal(o, text, ParseOp) }

// Operands returns how many operands an update brings: 2 for Mad, else 1.
func (o Op) Operands() int {
	if o == Mad {
		return 2
	}
	return 1
}

// Extreme reports whether the operation picks one of two values, so that a
// result hangs on no order, in floats either.
func (o Op) Extreme() bool { return o == Min || o == Max }

// partials returns the reason for which updates of type t cannot be reduced to
// one before they reach their target, "" if they can: sums by adding, products
// and divisors by multiplying, extremes by taking the extreme.
func (o Op) partials(t Type) string {
	switch {
	case o == Mad:
		return "mad rounds each x + a·b once, which no sum of products made beforehand does"
	case o == Div && !t.Float():
		return "a product of integer divisors may overflow, so that quotients are made one by one"
	}
	return ""
}
