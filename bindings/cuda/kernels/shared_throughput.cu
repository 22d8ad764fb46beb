// Operations on shared memory by all warps of one block, independent of each
// other: what the SM performs at most.
//
// Arguments. word: of each lane, the same for every warp. warp_words: words of one
// warp, which no other warp uses. steps: operations of a warp, a multiple of 8.
#include "casloop.cuh"
#include "shared.cuh"

namespace {

template <typename Operation, typename T>
__device__ __forceinline__ void run_busy(const uint32_t* word, uint32_t warp_words, T value,
                                         uint32_t steps, long long* intervals) {
  const uint32_t warps = blockDim.x / warp_size;
  T* const shared = clear_shared<T>(warp_words * warps);
  T* const mine =
      shared + threadIdx.x / warp_size * warp_words + word[threadIdx.x % warp_size];
  long long start = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {  // the first one fetches the instructions
    const uint32_t length = pass == 0 ? unroll : steps;
    __syncthreads();
    start = clock64();
#pragma unroll 1
    for (uint32_t s = 0; s < length; s += unroll) {
#pragma unroll
      for (int u = 0; u < unroll; ++u) Operation::apply(mine, value);
    }
    __threadfence_block();
  }
  record(intervals, start, clock64());
}

}  // namespace

#define THROUGHPUT(name, Operation, T)                                            \
  extern "C" __global__ void __launch_bounds__(1024) shared_throughput_##name(    \
      const uint32_t* word, uint32_t warp_words, T value, uint32_t steps,         \
      long long* intervals) {                                                     \
    run_busy<Operation, T>(word, warp_words, value, steps, intervals);            \
  }

THROUGHPUT(u32_load, Load, uint32_t)
THROUGHPUT(u32_store, Store, uint32_t)
THROUGHPUT(u32_add, Add, uint32_t)
THROUGHPUT(u32_add_one_unused, AddOne, uint32_t)
THROUGHPUT(u32_min, Min, uint32_t)
THROUGHPUT(f32_add, Add, float)
THROUGHPUT(u64_add, Add, u64)
THROUGHPUT(f64_add, Add, double)
THROUGHPUT(u32_casloop, CasLoop, uint32_t)
