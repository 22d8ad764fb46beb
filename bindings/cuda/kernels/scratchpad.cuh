// One warp's operations on shared memory, pattern by pattern.
//
// Arguments. patterns: 32 words for each block, -1 for a lane that takes no part.
// words: addresses lie below. cycles: of all 64 operations, one for each block. Give
// a block all of an SM's shared memory, so that it is alone there.
#pragma once

#include "casloop.cuh"
#include "shared.cuh"

namespace {

// Alone performs an operation in the active lanes only.
template <typename Operation>
struct Alone {
  static constexpr bool whole_warp = false;
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v, bool) { return Operation::apply(p, v); }
};

// Together performs an operation that needs the whole warp.
template <typename Operation>
struct Together {
  static constexpr bool whole_warp = true;
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v, bool active) {
    return Operation::apply(p, v, active);
  }
};

__device__ __forceinline__ long long longest_of_warp(long long span) {
  for (int step = warp_size / 2; step > 0; step /= 2) {
    span = max(span, __shfl_xor_sync(0xffffffff, span, step));
  }
  return span;
}

// run_pattern lets the one warp of each block perform 64 operations with the
// block's pattern, each at an address that depends on the result before. Lanes that
// take no part wait at the end or, where the operation asks for a whole warp, take
// part in everything but the update.
template <typename Operation, typename T>
__device__ __forceinline__ void run_pattern(const int32_t* patterns, uint32_t words, T value,
                                            T* sink, long long* cycles) {
  T* const shared = clear_shared<T>(words + 1);
  const int32_t word = patterns[blockIdx.x * warp_size + threadIdx.x];
  const bool active = word >= 0;
  long long span = 0;
  if (active || Operation::whole_warp) {
    const unsigned lanes = __activemask();
    T* const mine = shared + max(word, 0);
    T old = T(0);
#pragma unroll 1
    for (int pass = 0; pass < chain_passes; ++pass) {
      __syncwarp(lanes);
      const long long start = clock64();
#pragma unroll 8
      for (int k = 0; k < chain_length; ++k) {
        old = Operation::apply(mine + sign_of(old), value, active);
      }
      sink[blockIdx.x * warp_size + threadIdx.x] = old;
      __syncwarp(lanes);
      span = clock64() - start;
    }
  }
  span = longest_of_warp(span);
  if (threadIdx.x == 0) cycles[blockIdx.x] = span;
}

}  // namespace

#define SCRATCHPAD(name, Operation, T)                                              \
  extern "C" __global__ void __launch_bounds__(warp_size) scratchpad_##name(        \
      const int32_t* patterns, uint32_t words, T value, T* sink, long long* cycles) { \
    run_pattern<Operation, T>(patterns, words, value, sink, cycles);                \
  }
