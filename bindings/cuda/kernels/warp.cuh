// Chains of warp instructions within a block.
//
// Arguments. keys: different words in a warp at the start. zero: 0, of which the
// compiler does not know. steps: operations of each chain, a multiple of 64.
#pragma once

#include "timing.cuh"

constexpr unsigned full_warp = 0xffffffffu;
constexpr int busy_chains = 4;  // chains of a warp where throughput is measured

// Word is the state of a chain: an operation makes the next value from the last.
template <typename Operation>
struct Word {
  uint32_t v;
  __device__ __forceinline__ void start(uint32_t key, uint32_t) { v = key; }
  __device__ __forceinline__ void next(uint32_t zero) { v = Operation::next(v, zero); }
  __device__ __forceinline__ uint32_t end() const { return v; }
};

// A turn of the loop is short enough for the instruction caches of all schedulers, and
// long enough for the loop itself to weigh little.
template <int chains>
constexpr int steps_per_turn = chains == 1 ? chain_length : 128 / chains;

// run_chains lets every warp perform steps operations on each of its chains. The last
// pass counts. Earlier ones fetch the instructions; where several blocks share an SM
// there is none, since a block may be ahead of the others by whole passes.
template <typename Chain, int chains, int passes>
__device__ __forceinline__ void run_chains(uint32_t keys, uint32_t zero, uint32_t steps,
                                           uint32_t* sink, long long* intervals) {
  Chain chain[chains];
#pragma unroll
  for (int c = 0; c < chains; ++c) chain[c].start(threadIdx.x % keys + zero * c, zero);
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass) {
    __syncthreads();
    const long long start = clock64();
#pragma unroll 1
    for (uint32_t s = 0; s < steps; s += steps_per_turn<chains>) {
#pragma unroll
      for (int k = 0; k < steps_per_turn<chains>; ++k) {
#pragma unroll
        for (int c = 0; c < chains; ++c) chain[c].next(zero);
      }
    }
    uint32_t all = 0;
#pragma unroll
    for (int c = 0; c < chains; ++c) all ^= chain[c].end() + c;
    sink[blockIdx.x * blockDim.x + threadIdx.x] = all;
    __syncwarp();
    record(intervals, start, clock64());
    __syncwarp();
  }
}

#define WARP_CHAINS(kernel, Chain, chains, passes)                                     \
  extern "C" __global__ void __launch_bounds__(1024) kernel(                           \
      uint32_t keys, uint32_t zero, uint32_t steps, uint32_t* sink, long long* intervals) { \
    run_chains<Chain, chains, passes>(keys, zero, steps, sink, intervals);             \
  }

#define WARP_OPERATION(name, Chain)                      \
  WARP_CHAINS(warp_chain_##name, Chain, 1, chain_passes) \
  WARP_CHAINS(warp_throughput_##name, Chain, busy_chains, chain_passes)
