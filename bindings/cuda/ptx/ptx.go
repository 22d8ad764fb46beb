// Package ptx holds the kernels of calls and of measurements as PTX, which a driver
// compiles for its GPU when it loads them, and reads from the text what a caller must
// know: the kernels of a module, their parameters and their instructions.
//
// Each NAME.ptx is made from cuda/kernels/NAME.cu by script/ptx, and its first lines say with what.
package ptx

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

//go:embed *.ptx
var files embed.FS

const suffix = ".ptx"

var (
	ErrModule = errors.New("no such PTX module")
	ErrKernel = errors.New("no such kernel")
	ErrText   = errors.New("broken PTX")
)

// Modules returns the names of the modules, sorted.
func Modules() []string {
	names, err := fs.Glob(files, "*"+suffix)
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for i := range names {
		names[i] = strings.TrimSuffix(names[i], suffix)
	}
	return slices.Sorted(slices.Values(names))
}

// Image returns the text of a module, to be loaded by a driver. An unknown module wraps ErrModule.
func Image(module string) ([]byte, error) {
	text, err := files.ReadFile(module + suffix)
	if err != nil {
		return nil, fmt.Errorf("%w: %q (there are %s)", ErrModule, module, strings.Join(Modules(), ", "))
	}
	return text, nil
}

var parsed sync.Map // *Module by name

// Load returns what the text of a module says. Errors wrap ErrModule or ErrText.
func Load(module string) (*Module, error) {
	if m, ok := parsed.Load(module); ok {
		return m.(*Module), nil
	}
	text, err := Image(module)
	if err != nil {
		return nil, err
	}
	m, err := Parse(module+suffix, text)
	if err == nil {
		parsed.Store(module, m)
	}
	return m, err
}

// Parameters returns the PTX types of a kernel's parameters in their order, such
// as u64, u32, f32. A pointer is a u64.
func Parameters(module, kernel string) ([]string, error) {
	k, err := find(module, kernel)
	return slices.Clone(k.Parameters), err
}

// Instructions returns the opcodes of a kernel that Matters lists, sorted, with
// the number of places where each stands.
func Instructions(module, kernel string) ([]Instruction, error) {
	k, err := find(module, kernel)
	return slices.DeleteFunc(slices.Clone(k.Instructions), func(i Instruction) bool {
		return !Matters(i.Opcode)
	}), err
}

// measured are the families of opcodes that a kernel can be there for, what says most first.
var measured = [][]string{
	{"atom", "red", "match", "redux", "shfl", "vote"}, {"popc"}, {"ld", "st"},
}

// repeated are the families of which any kernel has some. One that is there for
// them repeats them: at least repeats times, in a loop that is unrolled.
var repeated = []string{"add", "shf", "bar"}

const repeats = 32

// Atomics returns the opcodes for which a kernel is there, joined by spaces, as a reading names
// them: its atomics and what brings lanes together; where it has none of these its population
// counts, else its accesses to memory past L1, else the arithmetic or the barrier that it repeats
// most. It is empty for an unknown kernel.
func Atomics(module, kernel string) string {
	k, _ := find(module, kernel)
	for _, families := range measured {
		var opcodes []string
		for _, i := range k.Instructions {
			if slices.Contains(families, family(i.Opcode)) && !plain(i.Opcode) {
				opcodes = append(opcodes, i.Opcode)
			}
		}
		if len(opcodes) > 0 {
			return strings.Join(opcodes, " ")
		}
	}
	most := Instruction{Count: repeats - 1}
	for _, i := range k.Instructions {
		if slices.Contains(repeated, family(i.Opcode)) && i.Count > most.Count {
			most = i
		}
	}
	return most.Opcode
}

// plain tells what a kernel has beside: accesses to memory that any has, and the
// butterfly in which the lanes put together what each of them found.
func plain(opcode string) bool {
	switch family(opcode) {
	case "shfl":
		return strings.Contains(opcode, ".bfly")
	case "ld", "st":
		return !strings.Contains(opcode, ".cg") && !strings.Contains(opcode, ".volatile")
	}
	return false
}

func find(module, kernel string) (Kernel, error) {
	m, err := Load(module)
	if err != nil {
		return Kernel{}, err
	}
	for _, k := range m.Kernels {
		if k.Name == kernel {
			return k, nil
		}
	}
	return Kernel{}, fmt.Errorf("%w: %q in module %s", ErrKernel, kernel, module)
}
