package probe

import "fmt"

// operand is a value of an element's type, as the argument of a kernel. The type
// is the first part of an operation's name, such as u32 of u32_add.
func operand(operation string, value uint32) any {
	switch elementType(operation) {
	case "i32":
		return int32(value)
	case "f32":
		return float32(value)
	case "u64":
		return uint64(value)
	case "i64":
		return int64(value)
	case "f64":
		return float64(value)
	}
	return value
}

func elementType(operation string) string { return operation[:3] }

// elementBytes is the size of an operation's type.
func elementBytes(operation string) uint64 {
	if operation[1:3] == "64" {
		return 8
	}
	return 4
}

// conflict is how the lanes of a warp meet.
type conflict struct {
	kind   string // none, position or bank
	degree int    // lanes that meet
}

func (c conflict) String() string { return fmt.Sprintf("conflict=%s degree=%d", c.kind, c.degree) }

// word is the word of a lane. By position, groups of degree lanes share a word, and
// the groups' words lie in different banks; by bank, the lanes of a group have
// different words, 32 words apart.
func (c conflict) word(lane int) int {
	group := lane / c.degree
	if c.kind == "bank" {
		return group + warpLanes*(lane%c.degree)
	}
	return group
}

// words is the number of words that a warp needs.
func (c conflict) words() int {
	if c.kind == "bank" {
		return warpLanes * c.degree
	}
	return warpLanes
}

// conflicts lists one of no conflict, and by position and by bank those of each
// degree.
func conflicts(degrees []int) []conflict {
	all := []conflict{{"none", 1}}
	for _, kind := range []string{"position", "bank"} {
		for _, degree := range degrees {
			if degree > 1 {
				all = append(all, conflict{kind, degree})
			}
		}
	}
	return all
}
