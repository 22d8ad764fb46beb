// Warp instructions that every GPU has, integer arithmetic and barriers.
#include "warp.cuh"

namespace {

struct Shuffle {  // the lane to read comes along
  static __device__ __forceinline__ uint32_t next(uint32_t v, uint32_t) {
    return __shfl_sync(full_warp, v, v);
  }
};

struct Ballot {  // and a comparison
  static __device__ __forceinline__ uint32_t next(uint32_t v, uint32_t zero) {
    return __ballot_sync(full_warp, v != zero);
  }
};

struct Popc {
  static __device__ __forceinline__ uint32_t next(uint32_t v, uint32_t) {
    uint32_t count;
    asm volatile("popc.b32 %0, %1;" : "=r"(count) : "r"(v));
    return count;
  }
};

// Sum adds its last two numbers, so that no two additions become one.
struct Sum {
  uint32_t last, v;
  __device__ __forceinline__ void start(uint32_t key, uint32_t zero) { last = zero + 1, v = key; }
  __device__ __forceinline__ void next(uint32_t) {
    const uint32_t sum = v + last;
    last = v;
    v = sum;
  }
  __device__ __forceinline__ uint32_t end() const { return v; }
};

// Shift makes a word from its last two by one funnel shift. Compilers perform
// additions on two kinds of units in turn, shifts on one kind only.
struct Shift {
  uint32_t last, v;
  __device__ __forceinline__ void start(uint32_t key, uint32_t zero) { last = ~zero, v = key; }
  __device__ __forceinline__ void next(uint32_t) {
    const uint32_t word = __funnelshift_l(v, last, v);
    last = v;
    v = word;
  }
  __device__ __forceinline__ uint32_t end() const { return v; }
};

constexpr int issue_chains = 8;  // independent, so that no result is waited for

}  // namespace

WARP_OPERATION(alu_add, Sum)
WARP_OPERATION(shuffle, Word<Shuffle>)
WARP_OPERATION(ballot, Word<Ballot>)
WARP_OPERATION(popc, Word<Popc>)
WARP_CHAINS(warp_issue_alu_add, Sum, issue_chains, 1)
WARP_CHAINS(warp_issue_alu_shift, Shift, issue_chains, 1)

extern "C" __global__ void __launch_bounds__(1024) warp_barrier(uint32_t steps,
                                                                long long* intervals) {
#pragma unroll 1
  for (int pass = 0; pass < chain_passes; ++pass) {
    __syncthreads();
    const long long start = clock64();
#pragma unroll 1
    for (uint32_t s = 0; s < steps; s += chain_length) {
#pragma unroll
      for (int k = 0; k < chain_length; ++k) __syncthreads();
    }
    record(intervals, start, clock64());
    __syncwarp();
  }
}
