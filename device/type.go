package device

import "fmt"

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
func ParseType(name string) (Type, error) {
	for i, n := range typeNames {
		if n == name {
			return Type(i), nil
		}
	}
	return 0, fmt.Errorf("%w %q (there are u32, i32, f32, u64, i64, f64)", ErrType, name)
}

// String returns the type's name.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

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
func (t *Type) UnmarshalText(text []byte) error {
	parsed, err := ParseType(string(text))
	if err == nil {
		*t = parsed
	}
	return err
}
