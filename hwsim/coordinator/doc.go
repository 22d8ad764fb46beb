// Package coordinator simulates the software atomic operations of [elteir11]:
// one workgroup, the coordinator, performs the atomic operations of all others,
// so that no kernel needs one of the device, which would send all its accesses
// down the slow one of two ways to memory.
//
// A wavefront that executes an atomic operation adds its lanes' operands in
// local memory. The lane that was first, the dominant one, writes sum and
// address to the wavefront's elements of two global arrays. The wavefront then
// waits until the coordinator has cleared the address, and takes the variable's
// old value from a third array. The coordinator's threads read the arrays again
// and again, one wavefront each; the first request of every address updates the
// variable by the sum of all. A fourth array says which wavefronts have
// finished; when all have, the coordinator ends.
//
// Wavefronts are processes in simulated time. Their accesses to memory take effect late and
// in no order but that of fences, see memory. Paths, the queues of a device, says how long
// they take; package experiment has other regimes, kernels and loops of loads. Tests have
// random times, under which only a right protocol ends with the right sums.
//
// The protocol is that of Figures 6 and 7 of the paper, mended where simulation
// or reading shows them to be wrong:
//
//   - Three fences are missing, FencePublish, FenceRead and FenceRelease: a sum, or an
//     old value, may become visible after the address that announces it.
//   - The search for the dominant wavefront begins at wavefront 1, which is right
//     only because the first ones are the coordinator's own.
//   - A variable is updated where the sum is above 0, which loses negative ones.
//   - Threads that count finished wavefronts apart may leave at different times,
//     and the others wait at a barrier for ever.
//
// Beyond the paper, Persistent launches serve any number of workgroups, the
// lanes of a wavefront may update several addresses at once, and a kernel may exchange
// and compare-exchange, which the paper leaves for future work. The last exchange of a
// wavefront asks for all of its exchanges, and each lane returns what the one before
// brought. One comparison of a wavefront asks; the lanes that fail after it have their
// answer then, and the others ask again. In such kernels the coordinator's lane of the
// first request of every address executes all requests of that address one by one, of
// whatever operations.
//
// References:
//
//	[elteir11]    M. Elteir, H. Lin, W. Feng. Performance Characterization and
//	              Optimization of Atomic Operations on AMD GPUs. IEEE CLUSTER
//	              2011.
package coordinator
