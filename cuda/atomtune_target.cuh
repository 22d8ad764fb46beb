// The forms with a destination of one's own in place of an array: what remains after the
// warp's reduction goes to target.add(i, v), which a Target defines.
//
//   struct Target {
//     using Sum = T;                                        // what the warp adds up
//     template <typename V> __device__ void add(uint32_t i, V v) const;   // V: T or One
//   };
//   atomtune::add_to(atomtune::Match(), target, i, v, mask, draw);
//
// add_to makes the calls of add that the form of atomtune_add.cuh makes of atomic_add.
#pragma once

#include "atomtune_stream.cuh"

namespace atomtune {

// ArrayTarget is the array A, updated by atomics: with it add_to is Form::add.
template <typename T>
struct ArrayTarget {
  using Sum = T;
  T* A;

  template <typename V>
  __device__ __forceinline__ void add(uint32_t i, V v) const {
    atomic_add<T>(A + i, v);
  }
};

template <typename Target, typename V>
__device__ __forceinline__ void add_to(Naive, Target target, uint32_t i, V v, unsigned,
                                       unsigned) {
  target.add(i, v);
}

template <typename Target, typename V>
__device__ __forceinline__ void add_to(ScanReduce, Target target, uint32_t i, V v,
                                       unsigned mask, unsigned) {
  const bool joins = joins_left(mask, i);
  const unsigned joined = __ballot_sync(mask, joins);
  if (!has_run(joined, sr_threshold - 1)) {
    target.add(i, v);
    return;
  }
  const auto sum = sum_runs<typename Target::Sum>(mask, joined, v);
  if (!joins) target.add(i, sum);
}

// add_groups_to sums v over each group of peers and adds each group once, from its
// lowest lane.
template <typename Target, typename V>
__device__ __forceinline__ void add_groups_to(Target target, uint32_t i, V v,
                                              unsigned mask, unsigned peers) {
  const auto sum = sum_peers<typename Target::Sum>(mask, peers, v);
  if ((peers & lanes_below(lane_id())) == 0) target.add(i, sum);
}

template <typename Target, typename V>
__device__ __forceinline__ void add_to(VoteReduce, Target target, uint32_t i, V v,
                                       unsigned mask, unsigned draw) {
  const uint32_t sampled = __shfl_sync(mask, i, draw_lane(mask, draw));
  const unsigned voters = __ballot_sync(mask, i == sampled);
  if (__popc(voters) < vr_threshold) {
    target.add(i, v);
    return;
  }
  add_groups_to(target, i, v, mask, i == sampled ? voters : 1u << lane_id());
}

template <typename Target, typename V>
__device__ __forceinline__ void add_to(Peers, Target target, uint32_t i, V v,
                                       unsigned mask, unsigned) {
  add_groups_to(target, i, v, mask, get_peers(mask, i));
}

template <typename Target, typename V>
__device__ __forceinline__ void add_to(Match, Target target, uint32_t i, V v,
                                       unsigned mask, unsigned) {
  add_groups_to(target, i, v, mask, __match_any_sync(mask, i));
}

}  // namespace atomtune
