package device

import "fmt"

// Operand is what each update brings to its target.
type Operand uint8

// The operands.
const (
	Loaded Operand = iota // a value read from memory
	One                   // the constant 1, as a histogram does
)

var operandNames = [...]string{"loaded", "one"}

// ParseOperand reads "loaded" or "one". Errors wrap ErrType.
func ParseOperand(name string) (Operand, error) {
	return parse[Operand](operandNames[:], " of value", name)
}

// String returns "loaded" or "one".
func (o Operand) String() string { return nameOf(operandNames[:], "Operand", o) }

// MarshalText writes the operand's name.
func (o Operand) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads a name as ParseOperand does.
func (o *Operand) UnmarshalText(text []byte) error { return unmarshal(o, text, ParseOperand) }

// Call is what one call does to its targets, apart from the stream.
type Call struct {
	Type    Type    `json:"type"`
	Operand Operand `json:"value"`
	// Returns is set where each update needs the old value of its target.
	Returns bool `json:"returns"`
	Op      Op   `json:"op,omitzero"` // what an update makes of its target
	// Keeps is set where the targets hold what updates add to: the call clears nothing.
	Keeps bool `json:"keeps,omitzero"`
}

// Validate reports a type, operand or operation that there is not. Errors wrap ErrType.
func (c Call) Validate() error {
	if int(c.Type) >= len(typeNames) {
		return fmt.Errorf("%w %s", ErrType, c.Type)
	}
	if c.Operand > One {
		return fmt.Errorf("%w of value %s", ErrType, c.Operand)
	}
	if int(c.Op) >= len(opNames) {
		return fmt.Errorf("%w of operation %s", ErrType, c.Op)
	}
	return nil
}

// StreamBytes returns the bytes that one update reads: its index, and its
// operands unless they are the constant 1.
func (c Call) StreamBytes() int {
	if c.Operand == One {
		return 4
	}
	return 4 + c.Op.Operands()*c.Type.Bytes()
}

// OrderFree reports whether the order in which the updates of a target are made shows nowhere:
// integers wrap around and extremes round nothing, but sums and products of floats round after each
// update, and an old value says which updates came before.
func (c Call) OrderFree() bool { return !c.Returns && (!c.Type.Float() || c.Op.Extreme()) }
