package micro

import (
	"fmt"

	"github.com/atomtune/atomtune/probe/gpu"
)

// instructionSuite measures what compilers make of an addition of the constant 1 or
// of a value known at run time, with its result used or not, at an address known at
// compile time or at run time. All lanes of a warp add to one word, and go round
// eight words.
func instructionSuite() []measurement {
	operations := []string{"u32_add", "f32_add", "f64_add"}
	var all []measurement
	for _, name := range []string{"chain", "throughput"} {
		measure := func(b *bench, op string) { b.instructions(name, op) }
		all = append(all, each(name+" ", operations, measure)...)
	}
	return all
}

// addition is one way to write an addition.
type addition struct{ op, space, operand, result, address string }

func (a addition) kernel() string {
	return "instruction_" + a.op + "_" + a.space + "_" + a.operand + "_" + a.result + "_" + a.address
}

func (a addition) String() string {
	return fmt.Sprintf("op=%s space=%s operand=%s result=%s address=%s",
		a.op, a.space, a.operand, a.result, a.address)
}

func additionsAsWritten(op string) []addition {
	var all []addition
	for _, space := range []string{"shared", "global"} {
		for _, operand := range []string{"one", "runtime"} {
			for _, result := range []string{"used", "unused"} {
				for _, address := range []string{"static", "runtime"} {
					all = append(all, addition{op, space, operand, result, address})
				}
			}
		}
	}
	return all
}

// instructions measures in chains one warp: a chain where the result is used, else a
// stream of independent additions. Throughput is that of 32 warps: of one SM, in its
// cycles for one warp's addition, or of every SM, in nanoseconds of the device.
func (b *bench) instructions(name, op string) {
	offset := b.Zeros(4 * warpLanes)
	sink := b.Alloc(uint64(b.sms()) * blockThreads * elementBytes(op))
	b.warmUp()
	for _, a := range additionsAsWritten(op) {
		k := b.Kernel("instruction", a.kernel())
		args := func(steps, passes uint32, slot gpu.Memory) []any {
			return []any{offset, operand(op, 1), steps, passes, sink, slot}
		}
		switch {
		case name == "chain":
			cycles := b.chain(k, smallest, func(slot gpu.Memory) []any { return args(chainLength, 3, slot) })
			b.note(name, a.String(), cycles, unitCycle, k)
		case a.space == "shared":
			const warps = blockThreads / warpLanes
			l := gpu.Launch{Blocks: 1, Threads: blockThreads}
			cycles := b.busy(k, l, 64, func(steps uint32, slot gpu.Memory) []any {
				return args(steps, 2, slot)
			}, span)
			b.note(name, a.String(), scaled(cycles, 1.0/warps), unitCycle, k)
		default:
			ns := b.globalInstructions(k, func(steps uint32, slot gpu.Memory) []any {
				return args(steps, 1, slot)
			})
			b.note(name, a.String(), ns, unitNS, k)
		}
	}
}

// globalInstructions is the nanoseconds of the device for one warp's addition.
func (b *bench) globalInstructions(k gpu.Kernel, args arguments) []float64 {
	defer b.Scope()()
	const perTurn = 8 // additions of a kernel's turn
	l := gpu.Launch{Blocks: b.sms(), Threads: blockThreads}
	warps := l.Blocks * l.Threads / warpLanes
	v := b.intervals(1, warps)
	us := b.difference(k, l, perTurn, func(_ int, steps uint32) []any {
		return args(steps, v.slot(0))
	})
	return scaled(us, 1e3/float64(warps))
}
