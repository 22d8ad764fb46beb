// How kernels tell when they began and ended.
#pragma once

#include <cstdint>

constexpr int warp_size = 32;

// A chain is measured over so many operations, after two passes that fetch the
// instructions.
constexpr int chain_length = 64;
constexpr int chain_passes = 3;
constexpr int unroll = 8;

__device__ __forceinline__ uint32_t sm_of_thread() {
  uint32_t sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

// record keeps when a warp began and ended, by the clock of its SM, and which SM
// that is, as three neighbouring words. Its last record counts. One lane writes: before
// its warp goes on together, it needs __syncwarp().
__device__ __forceinline__ void record(long long* intervals, long long start, long long stop) {
  if (threadIdx.x % warp_size != 0) return;
  const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / warp_size;
  intervals[3 * warp] = start;
  intervals[3 * warp + 1] = stop;
  intervals[3 * warp + 2] = sm_of_thread();
}

__device__ __forceinline__ unsigned long long nanoseconds() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}
