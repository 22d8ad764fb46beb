// Package machine is the simulated device: it executes programs of warps event by event. Warps
// issue instructions in order, schedulers and ports of an SM, the slices of L2 and DRAM serve
// requests one after the other, and banks, locks and words of shared memory hold up the lanes that
// meet there. It knows no implementation and no closed form.
//
// # Where to begin
//
//   - event.go is the event core: integer cycles, ordered by time and then by sequence. An event is a
//     warp's next instructions up to the first that leaves its registers, or one stage of an operation on
//     shared memory.
//   - program.go and builder.go are the instruction set, and the builder in which kernels are written.
//   - machine.go, launch.go, step.go and warp.go are the SMs, their schedulers, and a scoreboard per warp.
//     room.go has the memory of all resident warps, line.go the vector registers.
//   - request.go, stages.go, lock.go, lanes.go and shared.go are operations on shared memory. A read tries
//     for the lock bits, an addition follows, a write frees them, and lanes that failed branch back. Bank
//     conflicts delay a read before it tries; a write frees each lock in the pass that writes its word.
//   - global.go coalesces accesses into sectors, at the rates of L2 and DRAM. update.go has atomic updates
//     and compare-and-swap loops, slice.go the slices by address and what L2 keeps of large arrays.
//
// A launch fails if fewer atomic operations complete than were issued.
//
// # What is coarse
//
// Memory:
//
//   - What a kernel streams is in L2 entirely or not at all.
//   - A request that misses in L2 does not delay those behind it. On the H200 it does, and the closed forms
//     include that.
//   - DRAM has a rate and no row buffers. Stores use bandwidth by whole sectors, but no time of a slice.
//   - Loads take no time of the slices, except in calls that update rows (Machine.Rows).
//
// Between SMs and slices:
//
//   - Each SM has one port, and there is no network. Old values that return to the SM, and scattered loads
//     other than those of a sample, use no bandwidth there. Tables therefore find old values too fast.
//   - A sample's loads pass the port sector by sector, whatever lines and pages hold these sectors.
//
// Launches and blocks:
//
//   - A kernel begins as soon as an empty one would. Partitions of short streams end too early.
//   - The register file does not limit occupancy.
//
// Warps:
//
//   - A warp runs ahead of adds whose results it does not need, without limit, so that a small grid has as
//     many under way as a large one.
//   - A branch costs one instruction. Up to eight instructions of one warp that touch only its registers
//     are issued as one event.
//
// Slices:
//
//   - The H200's slice hash is one of many that explain its readings almost equally well.
//   - The place of a small array within its page is assumed, and with it which of its chunks share a slice.
//     For an image with near-Gaussian values and 256 targets, ss takes 133 us simulated at the assumed
//     place, but 194 us at a whole KiB, where recorded streams lie.
package machine
