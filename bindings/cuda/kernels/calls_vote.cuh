// Whole calls with vr from a threshold other than the header's: 8 lanes, which code
// for differentiable rendering takes.
#pragma once

#include "calls.cuh"

namespace calls {

template <int threshold>
struct VoteReduceFrom {
  template <typename Target, typename K, typename V>
  static __device__ __forceinline__ void add_to(Target target, K i, V v, unsigned mask,
                                                unsigned draw) {
    atomtune::add_vr_to(target, i, v, mask, draw, threshold);
  }
};

}  // namespace calls

// CALLS_VOTE: the kernels of a type.
#define CALLS_VOTE(type, T) \
  CALLS_UPDATE_GLOBAL(vr_t8, calls::VoteReduceFrom<8>, type, T, 1, )
