// The forms that return a value: fetch_add_naive, fetch_add_sr, fetch_add_vr,
// fetch_add_peers, fetch_add_match. Each lane gets what its target held before the
// lane's own update, in one serial order of all updates. Within a group that is
// added together the order is that of the lanes, and nothing comes between its
// updates; groups of other warps come before or after it. So the values of a
// cursor that reserves places are distinct and without gaps, as with atomicAdd.
//
// A lane's value is the old one that its group's atomic returned, plus the values of
// the group's lanes below. For floats both that prefix and the sum are rounded, so
// that the chain "old + v is the next old" holds within the bound of atomtune.cuh
// only, and exactly where that bound is zero.
#pragma once

#include "atomtune_add.cuh"

namespace atomtune {

template <typename T, typename I, typename V>
__device__ __forceinline__ T fetch_add_naive(T* A, I i, V v) {
  return atomic_add<T>(A + Key<I>(i), v);
}

// PrefixSums holds the sums over the caller's peers in lower lanes, before without
// and through with the caller's own value.
template <typename T>
struct PrefixSums {
  T before, through;
};

// prefix_sums adds in lane order. For a value, all lanes of mask take part.
template <typename T, typename V>
__device__ __forceinline__ PrefixSums<T> prefix_sums(unsigned mask, unsigned peers, V v) {
  const unsigned lane = lane_id();
  const unsigned below = peers & lanes_below(lane);
  if constexpr (is_one<V>) {
    return {T(__popc(below)), T(__popc(below) + 1)};
  } else {
    const T through = scan_peers<T>(mask, peers, T(v));
    const int left = below != 0 ? highest_lane(below) : static_cast<int>(lane);
    const T other = __shfl_sync(mask, through, left);
    return {below != 0 ? other : T(0), through};
  }
}

// fetch_add_groups adds each group of peers once, from its highest lane, which
// holds the group's sum after the scan.
template <typename T, typename K, typename V>
__device__ __forceinline__ T fetch_add_groups(T* A, K i, V v, unsigned mask,
                                              unsigned peers) {
  const PrefixSums<T> sum = prefix_sums<T>(mask, peers, v);
  const int last = highest_lane(peers);
  T old = T(0);
  if (static_cast<int>(lane_id()) == last) old = atomic_add<T>(A + i, sum.through);
  return plus(__shfl_sync(mask, old, last), sum.before);
}

// fetch_add_sr is add_sr with old values.
template <typename T, typename I, typename V>
__device__ __forceinline__ T fetch_add_sr(T* A, I i, V v, unsigned mask = __activemask(),
                                          int threshold = sr_threshold) {
  const Key<I> key(i);
  const unsigned joined = __ballot_sync(mask, joins_left(mask, key));
  if (!has_run(joined, threshold - 1)) return atomic_add<T>(A + key, v);
  const unsigned lane = lane_id();
  const unsigned head = highest_lane(~joined & (lanes_below(lane) | 1u << lane));
  return fetch_add_groups(A, key, v, mask, lane_span(head, run_end(joined, lane)));
}

// fetch_add_vr is add_vr with old values.
template <typename T, typename I, typename V>
__device__ __forceinline__ T fetch_add_vr(T* A, I i, V v, unsigned mask = __activemask(),
                                          unsigned draw = default_draw(),
                                          int threshold = vr_threshold) {
  const Key<I> key(i);
  const Key<I> sampled = __shfl_sync(mask, key, draw_lane(mask, draw));
  const unsigned voters = __ballot_sync(mask, key == sampled);
  if (__popc(voters) < threshold) return atomic_add<T>(A + key, v);
  return fetch_add_groups(A, key, v, mask, key == sampled ? voters : 1u << lane_id());
}

// fetch_add_peers is add_peers with old values.
template <typename T, typename I, typename V>
__device__ __forceinline__ T fetch_add_peers(T* A, I i, V v,
                                             unsigned mask = __activemask()) {
  const Key<I> key(i);
  return fetch_add_groups(A, key, v, mask, get_peers(mask, key));
}

// fetch_add_match is add_match with old values.
template <typename T, typename I, typename V>
__device__ __forceinline__ T fetch_add_match(T* A, I i, V v,
                                             unsigned mask = __activemask()) {
  const Key<I> key(i);
  return fetch_add_groups(A, key, v, mask, __match_any_sync(mask, key));
}

}  // namespace atomtune
