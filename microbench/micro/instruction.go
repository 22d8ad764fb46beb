package micro

import (
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/device"
)

var writtenOperations = []string{"u32_add", "f32_add", "f64_add"}

// instructions measures what compilers make of an addition of the constant 1 or of a
// value known at run time, with its result used or not, at an address known at compile
// time or at run time. All lanes of a warp add to one word, and go round eight words.
// A chain is one warp's, where the result is used, else a stream of independent additions.
// Throughput is that of 32 warps: of one SM, in its cycles for one warp's addition, or of
// every SM, in nanoseconds of the device.
func (b *bench) instructions(name, op string) {
	const perTurn = 8 // additions of a kernel's turn
	offset := b.Zeros(4 * warpLanes)
	sink := b.Alloc(uint64(b.sms()) * blockThreads * elementBytes(op))
	b.warmUp()
	args := func(passes uint32) arguments {
		return func(_ int, steps uint32, slot driver.Memory) []any {
			return []any{offset, operand(op, 1), steps, passes, sink, slot}
		}
	}
	block := device.Shape{Blocks: 1, Threads: blockThreads}
	full := device.Shape{Blocks: uint64(b.sms()), Threads: blockThreads}
	for i := range 16 {
		way := func(bit int, zero, one string) string { return []string{zero, one}[i>>bit&1] }
		space, value := way(3, "shared", "global"), way(2, "one", "runtime")
		result, address := way(1, "used", "unused"), way(0, "static", "runtime")
		k := b.Kernel("instruction",
			strings.Join([]string{"instruction", op, space, value, result, address}, "_"))
		reading := fmt.Sprintf("%s op=%s space=%s operand=%s result=%s address=%s", name, op, space, value, result,
			address)
		switch {
		case name == "chain":
			b.chain(reading, k, smallest, 1, args(3))
		case space == "shared":
			b.busy(reading, k, block, blockThreads/warpLanes, 64, span, args(2))
		default:
			end := b.Scope()
			slot := b.Zeros(full.Blocks * blockThreads / warpLanes * intervalBytes)
			b.nanoseconds(reading, k, full, perTurn, func(_ int, steps uint32, _ driver.Memory) []any {
				return args(1)(0, steps, slot)
			})
			end()
		}
	}
}

func (b *bench) instructionChains(op string)      { b.instructions("chain", op) }
func (b *bench) instructionThroughputs(op string) { b.instructions("throughput", op) }
