// The forms that return nothing: add_naive, add_sr, add_vr, add_peers, add_match.
// atomtune.cuh says what they share.
//
// Each is add_NAME_to with an array as its destination. A destination of one's own takes
// what remains after the warp's reduction:
//
//   struct Target {
//     using Sum = T;                                        // what the warp adds up
//     template <typename K, typename V> __device__ void add(K i, V v) const;  // V: T or One
//   };
#pragma once

#include "atomtune_warp.cuh"

namespace atomtune {

// Shortest run of equal neighbours for which the sr forms leave the plain path.
inline constexpr int sr_threshold = 2;

// Fewest lanes on the sampled index for which the vr forms leave the plain path: the
// least x with (N - x) + log2 x + s <= x, [egielski14] inequality (2), for N = 32 lanes
// and a set-up of s = 2 steps. From there on add_vr is never slower than plain atomics
// by that count of steps; a lower threshold reduces more often and guarantees less.
inline constexpr int vr_threshold = 20;

// ArrayTarget is the array A, updated by atomics.
template <typename T>
struct ArrayTarget {
  using Sum = T;
  T* A;

  template <typename K, typename V>
  __device__ __forceinline__ void add(K i, V v) const {
    atomic_add<T>(A + i, v);
  }
};

template <typename T, typename I, typename V>
__device__ __forceinline__ void add_naive(T* A, I i, V v) {
  atomic_add<T>(A + Key<I>(i), v);
}

// joins_left reports whether the lane's left neighbour is active and has its index.
template <typename K>
__device__ __forceinline__ bool joins_left(unsigned mask, K i) {
  const K left = __shfl_up_sync(mask, i, 1);
  const bool left_active = ((mask << 1) >> lane_id()) & 1u;
  return left_active && left == i;
}

// add_sr_to sums runs of neighbouring lanes with equal indices and adds each run
// once, from its head. An inactive lane ends a run. Where no run reaches
// threshold lanes, every lane adds for itself.
template <typename Target, typename K, typename V>
__device__ __forceinline__ void add_sr_to(Target target, K i, V v, unsigned mask,
                                          int threshold = sr_threshold) {
  const bool joins = joins_left(mask, i);
  const unsigned joined = __ballot_sync(mask, joins);
  if (!has_run(joined, threshold - 1)) {
    target.add(i, v);
    return;
  }
  const auto sum = sum_runs<typename Target::Sum>(mask, joined, v);
  if (!joins) target.add(i, sum);
}

template <typename T, typename I, typename V>
__device__ __forceinline__ void add_sr(T* A, I i, V v, unsigned mask = __activemask(),
                                       int threshold = sr_threshold) {
  add_sr_to(ArrayTarget<T>{A}, Key<I>(i), v, mask, threshold);
}

// add_groups_to sums v over each group of peers and adds each group once, from its
// lowest lane.
template <typename Target, typename K, typename V>
__device__ __forceinline__ void add_groups_to(Target target, K i, V v, unsigned mask,
                                              unsigned peers) {
  const auto sum = sum_peers<typename Target::Sum>(mask, peers, v);
  if ((peers & lanes_below(lane_id())) == 0) target.add(i, sum);
}

// add_vr_to lets the lanes vote for the index of one sampled lane. From threshold
// votes on, the voters' values are summed and their lowest lane adds the sum; all
// other lanes add for themselves. draw chooses the sampled lane and must be the
// same for all lanes of mask; pass a fresh number for each call so that frequent
// indices are sampled in proportion to their frequency.
template <typename Target, typename K, typename V>
__device__ __forceinline__ void add_vr_to(Target target, K i, V v, unsigned mask,
                                          unsigned draw, int threshold = vr_threshold) {
  const K sampled = __shfl_sync(mask, i, draw_lane(mask, draw));
  const unsigned voters = __ballot_sync(mask, i == sampled);
  if (__popc(voters) < threshold) {
    target.add(i, v);
    return;
  }
  add_groups_to(target, i, v, mask, i == sampled ? voters : 1u << lane_id());
}

template <typename T, typename I, typename V>
__device__ __forceinline__ void add_vr(T* A, I i, V v, unsigned mask = __activemask(),
                                       unsigned draw = default_draw(),
                                       int threshold = vr_threshold) {
  add_vr_to(ArrayTarget<T>{A}, Key<I>(i), v, mask, draw, threshold);
}

// add_peers_to adds once per distinct index of the warp, grouped by a ballot loop.
template <typename Target, typename K, typename V>
__device__ __forceinline__ void add_peers_to(Target target, K i, V v, unsigned mask) {
  add_groups_to(target, i, v, mask, get_peers(mask, i));
}

template <typename T, typename I, typename V>
__device__ __forceinline__ void add_peers(T* A, I i, V v,
                                          unsigned mask = __activemask()) {
  add_peers_to(ArrayTarget<T>{A}, Key<I>(i), v, mask);
}

// add_match_to adds once per distinct index of the warp, grouped by match.any.
template <typename Target, typename K, typename V>
__device__ __forceinline__ void add_match_to(Target target, K i, V v, unsigned mask) {
  add_groups_to(target, i, v, mask, __match_any_sync(mask, i));
}

template <typename T, typename I, typename V>
__device__ __forceinline__ void add_match(T* A, I i, V v,
                                          unsigned mask = __activemask()) {
  add_match_to(ArrayTarget<T>{A}, Key<I>(i), v, mask);
}

}  // namespace atomtune
