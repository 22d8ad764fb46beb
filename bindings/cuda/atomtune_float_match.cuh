// The atomics of atomtune_float.cuh that a warp can reduce first: one atomic per distinct
// index, from its lowest lane, as add_match of atomtune.cuh does for sums (sm_70).
//
//   atomtune::mul_match(A, i, v);   A[i] · v
//   atomtune::min_match(A, i, v);   the smaller of A[i] and v
//   atomtune::max_match(A, i, v);   the larger of A[i] and v
//
// min_match and max_match give exactly what one atomic per lane gives. mul_match multiplies
// the operands of a group first: the product rounds in another order, and overflows or
// underflows where that of a group does, even if the target's would not. div has no such
// form, as its result would hang on the group; nor has mad, whose products add_match sums.
#pragma once

#include "atomtune_float.cuh"

namespace atomtune {

// combine_peers combines v over each group of peers by a tree over their ranks, as
// reduce_peers does for sums: the lowest lane of each group returns the result.
template <typename T, typename Combine>
__device__ __forceinline__ T combine_peers(unsigned mask, unsigned peers, T v,
                                           Combine combine) {
  const unsigned lane = lane_id();
  unsigned rank = __popc(peers & lanes_below(lane));
  unsigned rest = peers & lanes_above(lane);
  while (__any_sync(mask, rest != 0)) {
    const int next = __ffs(static_cast<int>(rest)) - 1;
    const T other = __shfl_sync(mask, v, rest != 0 ? next : static_cast<int>(lane));
    if (rest != 0) v = combine(v, other);
    rest &= ~__ballot_sync(mask, rank & 1u);
    rank >>= 1;
  }
  return v;
}

// update_groups combines v over the lanes with equal indices and has the lowest of them
// call update with its target and the result. The lanes wait for those that update: they
// would come to the next call without them, and merge less.
template <typename T, typename I, typename Combine, typename Update>
__device__ __forceinline__ void update_groups(T* A, I i, T v, unsigned mask,
                                              Combine combine, Update update) {
  const Key<I> key(i);
  const unsigned peers = __match_any_sync(mask, key);
  const T combined = combine_peers(mask, peers, v, combine);
  if ((peers & lanes_below(lane_id())) == 0) update(A + key, combined);
  __syncwarp(mask);
}

// mul_match multiplies A[i] by the product of the operands for it.
template <typename T, typename I>
__device__ __forceinline__ void mul_match(T* A, I i, T v, unsigned mask = __activemask()) {
  update_groups(
      A, i, v, mask, [](T x, T y) { return x * y; },
      [](T* target, T product) { atomic_mul(target, product); });
}

// min_match lowers A[i] to the smallest operand for it.
template <typename T, typename I>
__device__ __forceinline__ void min_match(T* A, I i, T v, unsigned mask = __activemask()) {
  update_groups(
      A, i, v, mask, [](T x, T y) { return minimum(x, y); },
      [](T* target, T least) { atomic_min(target, least); });
}

// max_match raises A[i] to the largest operand for it.
template <typename T, typename I>
__device__ __forceinline__ void max_match(T* A, I i, T v, unsigned mask = __activemask()) {
  update_groups(
      A, i, v, mask, [](T x, T y) { return maximum(x, y); },
      [](T* target, T most) { atomic_max(target, most); });
}

}  // namespace atomtune
