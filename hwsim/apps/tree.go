package apps

import (
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// treeElements returns how many elements of shared memory treeReduce uses:
// lanes of the first warp whose sums do not matter read beyond the threads'.
func treeElements(threads, lanes uint64) uint64 { return threads + lanes/2 }

// treeReduce adds up one element per thread of the block, as the reduction of
// the CUDA SDK does: in shared memory from element 0 on, each turn with half as
// many threads, with barriers while more than one warp takes part. The sum ends
// up in thread 0. The block has a power of two of threads, one warp at least.
func treeReduce(b *machine.Builder, wide bool, thread, total operand, threads, lanes uint64) {
	fold := func(distance uint64) {
		b.Scoped(func() {
			b.To(total, machine.OpAddT, total, b.LoadShared(wide, b.Add(thread, imm(distance))))
			b.StoreShared(wide, thread, total)
		})
	}
	b.StoreShared(wide, thread, total)
	b.Barrier()
	distance := threads / 2
	for ; distance > lanes; distance /= 2 {
		b.When(b.Less(thread, imm(distance)), func() { fold(distance) })
		b.Barrier()
	}
	b.When(b.Equal(machine.WarpID, imm(0)), func() {
		for ; distance >= 1; distance /= 2 {
			fold(distance)
		}
	})
}
