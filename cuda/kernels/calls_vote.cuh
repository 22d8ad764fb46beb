// Whole calls with vr from a threshold other than the header's: 8 lanes, which code
// for differentiable rendering takes.
#pragma once

#include "calls.cuh"

namespace calls {

template <int threshold>
struct VoteReduceFrom {
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ void add(T* A, I i, V v, unsigned mask,
                                             unsigned draw) {
    atomtune::add_vr(A, i, v, mask, draw, threshold);
  }
};

}  // namespace calls

// CALLS_VOTE: the kernels of a type.
#define CALLS_VOTE(type, T) CALLS_UPDATE_GLOBAL(vr_t8, calls::VoteReduceFrom<8>, type, T)
