package probe

import (
	"strings"

	"github.com/atomtune/atomtune/cuda/ptx"
)

// shapes is a GPU that keeps the shape of the last launch of each kernel, by name.
type shapes struct {
	GPU
	last map[string]Launch
}

// Launch implements GPU.
func (s shapes) Launch(k Kernel, l Launch, args ...any) error {
	s.last[k.Name()] = l
	return s.GPU.Launch(k, l, args...)
}

// how says by what a kernel that was launched measures.
func (b *bench) how(k benchKernel) (instruction, launch string, unroll int) {
	if s, ok := b.g.(shapes); ok {
		if l, launched := s.last[k.Name()]; launched {
			launch = l.String()
		}
	}
	return ptx.Atomics(k.module, k.Name()), launch, unrollOf(k.Name())
}

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
