package micro

import "strings"

// unrolls are how many operations of a warp stand in one turn of the loop of the
// kernels of that prefix, as cuda/kernels writes them. The first prefix that fits
// counts.
var unrolls = []struct {
	prefix     string
	operations int
}{
	{"warp_chain_", 64},
	{"warp_barrier", 64},
	{"warp_throughput_", 4 * 32}, // steps of four chains
	{"warp_issue_", 8 * 16},
	{"scratchpad_", 8},
	{"shared_throughput_", 8},
	{"shared_contention_", 1},
	{"global_chain_", 8},
	{"global_throughput_", 4},
	{"instruction_", 8},
	{"copy_words", 8},
	{"read_words", 8},
	{"read_and_add", 8}, // loads
	{"chase", 8},
}

// unrollOf is the number of a warp's operations in a turn of a kernel's loop, 0 for
// a kernel without one.
func unrollOf(kernel string) int {
	for _, u := range unrolls {
		if strings.HasPrefix(kernel, u.prefix) {
			return u.operations
		}
	}
	return 0
}

// operand is a value of an element's type, as the argument of a kernel. The type
// is the first part of an operation's name, such as u32 of u32_add.
func operand(operation string, value uint32) any {
	switch operation[:3] {
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

// elementBytes is the size of an operation's type.
func elementBytes(operation string) uint64 {
	if operation[1:3] == "64" {
		return 8
	}
	return 4
}
