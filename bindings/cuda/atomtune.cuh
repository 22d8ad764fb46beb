// Reduced-collision forms of atomicAdd, to be called where a kernel calls
// atomicAdd(&A[i], v):
//
//   atomtune::add_match(A, i, v);
//   T old = atomtune::fetch_add_match(A, i, v);
//
// Every form adds v to A[i] for each calling lane and is right for any order of
// indices, any set of active lanes and a warp that is not full. A is global or
// shared memory. The forms differ in what they do inside the warp first:
//
//   naive   one atomic per lane
//   sr      one atomic per run of neighbouring lanes with equal indices
//           [egielski14] Algorithm 1, with run heads found first
//   vr      the lanes that share one sampled lane's index are summed first
//           [egielski14] Algorithm 2
//   peers   one atomic per distinct index, found by a ballot loop [westphal15]
//   match   one atomic per distinct index, found by the match instruction
//
// Each is add_NAME, and fetch_add_NAME where the old value is wanted: what the target
// held before the lane's own update in some serial order of all updates.
//
// What follows works on more than a warp:
//
//   hash           atomtune_hash.cuh: as peers, found by a hash in shared memory (HashPeers)
//   sr of blocks   atomtune_block.cuh: runs are added across the warps of a block too
//                  (sr_block_update)
//   private        atomtune_private.cuh: copies of the targets in shared memory, updated
//                  by any form and flushed at the end (Copies, private_update)
//   ranges         atomtune_ranges.cuh: copies of a range of the targets per block, for
//                  more targets than fit (RangedCopies)
//   hot            atomtune_hot.cuh: frequent targets in shared memory, in front of any
//                  form, the others in global memory (HotTable, hot_update); its tags
//                  from known frequencies or a sample: atomtune_hot_tags.cuh
//   old values     atomtune_private_fetch.cuh: of updates in copies or a table of hot
//                  targets, in two passes (private_fetch_update, hot_fetch_update)
//   threadprivate  atomtune_private.cuh: a counter per thread and target, no atomics
//   unroll         atomtune_stream.cuh: several updates in flight per thread, for all
//                  of these
//   ss             atomtune_scatter.cuh: an order of the updates, made on the host
//                  (scatter_order), in which equal indices are far apart
//   partition      atomtune_partition.cuh: the updates by ranges of targets, each added
//                  up in shared memory (update_partition)
//   sort           atomtune_sort.cuh: radix sort, then a sum per run (update_sort)
//   segreduce      atomtune_sort.cuh: a sum per run of a stream that is grouped already
//   whole kernels  atomtune_kernels.cuh: each of these as a __global__ function
//
// And beside sums:
//
//   atomtune_float.cuh        atomic mul, mad, div, min, max of float and double
//   atomtune_float_match.cuh  mul, min, max with one atomic per distinct index
//   atomtune_extremes.cuh     the smallest, the largest value of each target, by all forms
//   atomtune_deterministic.cuh  sums of floats, the same bits on every run, by all forms
//   atomtune_widened.cuh      values of __half and __nv_bfloat16, added as float
//
// Types. T is a 32-bit or 64-bit integer, float, or double (sm_60). v is a T, or One{}
// to add the constant 1: ones are counted, so no value travels between lanes. i is an
// integer of up to 64 bits. The match forms need sm_70.
//
// Lanes. mask names the lanes that make the call together. The default takes those that
// happen to be converged, which is always correct; a caller that knows the set
// passes it and loses no merging to divergence.
//
// Grids. Any grid and block will do for the forms of a lane. The loops over a stream
// take one-dimensional blocks of whole warps and step by the grid, so that a grid that
// fills the device once is enough: 8 blocks of 256 threads an SM (2,048 threads). Blocks
// with private copies clear and flush them, so launch as many as the device holds at
// once: 256 threads, or 1,024 where the copies leave too few blocks on an SM to fill it.
// With ranges a grid has at least as many blocks as there are ranges, and best a multiple.
//
// Rounding. Integers wrap modulo their width, and every form gives the same sums. Floats
// are added in an order that no form promises. Let a target receive n values v, what it
// held before among them, and let u be 2^-24 for float and 2^-53 for double. In
// any order and any association of the additions
//
//   |sum - exact| <= g * sum of |v|,  g = (n-1) u / (1 - (n-1) u),  for (n-1) u < 1
//
// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2), so
// that a sum of positive values has a relative error of at most g. It is exact
// where all values are multiples of one power of two q and the sum of |v| is at most
// q 2^24 (float) or q 2^53 (double): sums of ones or of small integers do not round.
// The bound leaves out overflow, and subnormal floats, which atomics on global memory
// may flush to zero.
//
// [egielski14] Egielski, Huang, Zhang. Massive Atomics for Massive Parallelism on
//   GPUs. ISMM 2014.
// [gomezluna13] Gomez-Luna, Gonzalez-Linares, Benavides, Guil. Performance Modeling of
//   Atomic Additions on GPU Scratchpad Memory. IEEE TPDS 24(11), 2013.
// [westphal15] Westphal. Voting and Shuffling to Optimize Atomic Operations.
//   NVIDIA developer blog, 2015.
#pragma once

#include "atomtune_add.cuh"
#include "atomtune_block.cuh"
#include "atomtune_fetch.cuh"
#include "atomtune_float_match.cuh"
#include "atomtune_hot.cuh"
#include "atomtune_private.cuh"
#include "atomtune_private_fetch.cuh"
#include "atomtune_ranges.cuh"
#include "atomtune_stream.cuh"
