package micro

import (
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/gpu/driver"
)

var writtenOperations = []string{"u32_add", "f32_add", "f64_add"}

// instructions measures what compilers make of an addition of the constant 1 or of a
// value known at run time, with its result used or not, at an address known at compile
// time or at run time. All lanes of a warp add to one word, and go round eight words.
func (b *bench) instructions(op string,
	measure func(parameters string, k driver.Kernel, args func(passes uint32) arguments)) {
	offset := b.Zeros(4 * warpLanes)
	sink := b.Alloc(uint64(b.sms()) * blockThreads * elementBytes(op))
	b.warmUp()
	args := func(passes uint32) arguments {
		return func(steps uint32, slot driver.Memory) []any {
			return []any{offset, operand(op, 1), steps, passes, sink, slot}
		}
	}
	for _, space := range []string{"shared", "global"} {
		for _, operand := range []string{"one", "runtime"} {
			for _, result := range []string{"used", "unused"} {
				for _, address := range []string{"static", "runtime"} {
					name := strings.Join([]string{"instruction", op, space, operand, result, address}, "_")
					measure(fmt.Sprintf("op=%s space=%s operand=%s result=%s address=%s",
						op, space, operand, result, address), b.Kernel("instruction", name), args)
				}
			}
		}
	}
}

// instructionChains measures one warp: a chain where the result is used, else a stream
// of independent additions.
func (b *bench) instructionChains(op string) {
	b.instructions(op, func(parameters string, k driver.Kernel, args func(uint32) arguments) {
		b.note("chain", parameters, b.chain(k, smallest, args(3)), "cycle", k)
	})
}

// instructionThroughputs measures 32 warps: of one SM, in its cycles for one warp's
// addition, or of every SM, in nanoseconds of the device.
func (b *bench) instructionThroughputs(op string) {
	const perTurn = 8 // additions of a kernel's turn
	b.instructions(op, func(parameters string, k driver.Kernel, args func(uint32) arguments) {
		defer b.Scope()()
		l := device.Shape{Blocks: 1, Threads: blockThreads}
		if strings.Contains(parameters, "space=shared") {
			cycles := b.busy(k, l, 64, args(2), span)
			b.note("throughput", parameters, scaled(cycles, 1.0/warpLanes), "cycle", k)
			return
		}
		l.Blocks = uint64(b.sms())
		warps := int(l.Blocks) * l.Threads / warpLanes
		v := b.intervals(1, warps)
		us := b.difference(k, l, perTurn, func(_ int, steps uint32) []any {
			return args(1)(steps, v.slot(0))
		})
		b.note("throughput", parameters, scaled(us, 1e3/float64(warps)), "ns", k)
	})
}
