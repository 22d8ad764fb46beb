package device

import (
	"fmt"
	"slices"
	"strings"
)

// Type is the element type of the targets.
type Type uint8

// The element types.
const (
	U32 Type = iota
	I32
	F32
	U64
	I64
	F64
)

var typeNames = [...]string{"u32", "i32", "f32", "u64", "i64", "f64"}

// Types lists the element types in the order of the tables.
func Types() []Type { return []Type{U32, I32, F32, U64, I64, F64} }

// ParseType reads a type's name. Errors wrap ErrType.
func ParseType(name string) (Type, error) { return parse[Type](typeNames[:], "", name) }

// String returns the type's name.
func (t Type) String() string { return nameOf(typeNames[:], "Type", t) }

// Bytes returns the size of an element: 4 or 8.
func (t Type) Bytes() int {
	if t >= U64 {
		return 8
	}
	return 4
}

// Float reports whether the type is a floating-point type.
func (t Type) Float() bool { return t == F32 || t == F64 }

// MarshalText writes the type's name.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a name as ParseType does.
func (t *Type) UnmarshalText(text []byte) error { return unmarshal(t, text, ParseType) }

// parse returns the value of an enumeration by its name. Errors wrap ErrType.
func parse[E ~uint8](names []string, of, name string) (E, error) {
	if i := slices.Index(names, name); i >= 0 {
		return E(i), nil
	}
	return 0, fmt.Errorf("%w%s %q (there are %s)", ErrType, of, name, strings.Join(names, ", "))
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
