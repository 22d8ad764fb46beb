package hwsim

// treeElements returns how many elements of shared memory treeReduce uses:
// lanes of the first warp whose sums do not matter read beyond the threads'.
func treeElements(threads, lanes uint64) uint64 { return threads + lanes/2 }

// treeReduce adds up one element per thread of the block, as the reduction of
// the CUDA SDK does: in shared memory from element 0 on, each turn with half as
// many threads, with barriers while more than one warp takes part. The sum ends
// up in thread 0. The block has a power of two of threads, one warp at least.
func treeReduce(b *builder, wide bool, thread, total operand, threads, lanes uint64) {
	fold := func(distance uint64) {
		b.scoped(func() {
			b.to(total, opAddT, total, b.loadShared(wide, b.add(thread, imm(distance))))
			b.storeShared(wide, thread, total)
		})
	}
	b.storeShared(wide, thread, total)
	b.barrier()
	distance := threads / 2
	for ; distance > lanes; distance /= 2 {
		b.when(b.less(thread, imm(distance)), func() { fold(distance) }, nil)
		b.barrier()
	}
	b.when(b.equal(scalarReg(scalarWarp), imm(0)), func() {
		for ; distance >= 1; distance /= 2 {
			fold(distance)
		}
	}, nil)
}
