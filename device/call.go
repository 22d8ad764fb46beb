package device

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

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
	// Returns is set where each update returns the old value of its target.
	Returns bool `json:"returns"`
	Op      Op   `json:"op,omitzero"` // what an update makes of its target
	// Keeps is set where the targets hold what updates add to: the call clears nothing.
	Keeps bool `json:"keeps,omitzero"`

	// Width is the number of elements of a row where each index updates so many consecutive targets:
	//
	//	A[index[u]·Width + j] += values[u·Width + j]   for 0 <= j < Width
	//
	// It is 0 where each updates a single one.
	Width uint64 `json:"width,omitzero"`
	// Values is BF16 for such values of rows of F32; 0, or Type, are values of the targets' type.
	Values Type `json:"values,omitzero"`
	// IndexBytes is the size of an index in memory: 1, 2, 4 or 8, of rows 4 or 8; 0 stands for 4.
	IndexBytes int `json:"index_bytes,omitzero"`
}

// Validate reports a type, operand or operation that there is not by an error that wraps ErrType, and
// what is not a call for another reason by one that wraps ErrCall.
func (c Call) Validate() error {
	if c.Wide() {
		return c.validateWide()
	}
	if c.Type > F64 {
		return fmt.Errorf("%w %s", ErrType, c.Type)
	}
	if c.Values != 0 {
		return fmt.Errorf("%w: value types are only for rows", ErrCall)
	}
	if b := c.Index(); b != 1 && b != 2 && b != 4 && b != 8 {
		return fmt.Errorf("%w: indices of %d bytes, want 1, 2, 4 or 8", ErrCall, b)
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
		return c.Index()
	}
	return c.Index() + c.Op.Operands()*c.Type.Bytes()
}

// OrderFree reports whether the order in which the updates of a target are made shows nowhere:
// integers wrap around and extremes round nothing, but sums and products of floats round after each
// update, and an old value says which updates came before.
func (c Call) OrderFree() bool { return !c.Returns && (!c.Type.Float() || c.Op.Extreme()) }

// Words says what each update does, for example "u32 targets, adding loaded values".
func (c Call) Words() string {
	verb, value := c.Op.String()+" by ", "loaded values"
	if c.Op == Add {
		verb = "adding "
	}
	if c.Operand != Loaded {
		value = "1"
	}
	text := c.Type.String() + " targets, " + verb + value
	if c.Wide() {
		text = fmt.Sprintf("rows of %d %s targets, %s%s values", c.Width, c.Type, verb, c.ValueType())
	}
	if c.Returns {
		text += ", old values needed"
	}
	if c.Keeps {
		text += ", to existing values"
	}
	return text
}

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
		return "mad rounds each x + a·b once, unlike a sum of precomputed products"
	case o == Div && !t.Float():
		return "a product of integer divisors may overflow, so each quotient is computed separately"
	}
	return ""
}

// Type is the element type of the targets, of values or of indices.
type Type uint8

// The element types.
const (
	U32 Type = iota
	I32
	F32
	U64
	I64
	F64
	BF16 // of rows alone
	U8   // of indices alone, as U16
	U16
)

var typeNames = [...]string{"u32", "i32", "f32", "u64", "i64", "f64", "bf16", "u8", "u16"}

// Types lists the element types of single targets in the order of the tables.
func Types() []Type { return []Type{U32, I32, F32, U64, I64, F64} }

// otherNames are what PyTorch, NumPy, C and CUDA call types.
var otherNames = map[string]string{
	"float": "f32", "float32": "f32", "fp32": "f32", "double": "f64", "float64": "f64", "fp64": "f64",
	"int": "i32", "int32": "i32", "int32_t": "i32", "int64": "i64", "int64_t": "i64",
	"unsigned": "u32", "uint": "u32", "uint32": "u32", "uint32_t": "u32", "uint64": "u64", "uint64_t": "u64",
	"uint8": "u8", "uint8_t": "u8", "uint16": "u16", "uint16_t": "u16",
	"bfloat16": "bf16", "half": "f16", "float16": "f16", "fp16": "f16",
}

func parseType[E ~uint8](names []string, of, name string) (E, error) {
	plain := strings.ToLower(name)
	return parse[E](names, of, cmp.Or(otherNames[plain], plain))
}

// ParseType reads the name of one of Types, or what PyTorch, C and CUDA call it. Errors wrap ErrType.
func ParseType(name string) (Type, error) { return parseType[Type](typeNames[:BF16], "", name) }

// String returns the type's name.
func (t Type) String() string { return nameOf(typeNames[:], "Type", t) }

// Bytes returns the size of an element.
func (t Type) Bytes() int {
	switch t {
	case U8:
		return 1
	case U16, BF16:
		return 2
	case U64, I64, F64:
		return 8
	}
	return 4
}

// Float reports whether the type is a floating-point type.
func (t Type) Float() bool { return t == F32 || t == F64 || t == BF16 }

// MarshalText writes the type's name.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a name as ParseType does.
func (t *Type) UnmarshalText(text []byte) error { return unmarshal(t, text, ParseType) }

// Element is a Type that may be one of rows alone.
type Element Type

// ParseElement is ParseType of those too.
func ParseElement(name string) (Element, error) { return parseType[Element](typeNames[:U8], "", name) }

// IndexNames lists the types of indices.
func IndexNames() []string { return []string{"u8", "u16", "u32", "i32", "u64", "i64"} }

// ParseIndex reads the name of a type of indices. Errors wrap ErrType.
func ParseIndex(name string) (Type, error) {
	if _, err := parseType[Type](IndexNames(), " of index", name); err != nil {
		return 0, err
	}
	return parseType[Type](typeNames[:], "", name)
}

// MarshalText writes the type's name.
func (e Element) MarshalText() ([]byte, error) { return Type(e).MarshalText() }

// UnmarshalText reads a name as ParseElement does.
func (e *Element) UnmarshalText(text []byte) error { return unmarshal(e, text, ParseElement) }

// parse returns the value of an enumeration by its name. Errors wrap ErrType.
func parse[E ~uint8](names []string, of, name string) (E, error) {
	if i := slices.Index(names, name); i >= 0 {
		return E(i), nil
	}
	return 0, fmt.Errorf("%w%s %q (want one of %s)", ErrType, of, name, strings.Join(names, ", "))
}

func nameOf[E ~uint8](names []string, kind string, e E) string {
	if int(e) < len(names) {
		return names[e]
	}
	return fmt.Sprintf("%s(%d)", kind, uint8(e))
}

func unmarshal[E ~uint8](e *E, text []byte, parse func(string) (E, error)) error {
	parsed, err := parse(string(text))
	if err == nil {
		*e = parsed
	}
	return err
}
