// Additions to shared memory by several warps of one block that share words.
//
// Arguments. The first colliding_lanes lanes of the first colliding_warps warps share
// words with those warps, lane by lane; degree lanes of a warp share a word. steps:
// operations of a warp, dependent within the warp. The block has (1 + warps) * 32 + 1
// words.
#include "casloop.cuh"
#include "shared.cuh"

namespace {

template <typename Operation, typename T>
__device__ __forceinline__ void run_contention(T value, uint32_t colliding_warps,
                                               uint32_t colliding_lanes, uint32_t degree,
                                               uint32_t steps, T* sink, long long* intervals) {
  T* const shared = clear_shared<T>(warp_size + blockDim.x + 1);
  const uint32_t warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
  const bool shares = warp < colliding_warps && lane < colliding_lanes;
  T* const mine = shared + (shares ? 0 : (1 + warp) * warp_size) + lane / degree;
  const long long start = clock64();
  T old = T(0);
#pragma unroll 1
  for (uint32_t s = 0; s < steps; ++s) old = Operation::apply(mine + sign_of(old), value);
  sink[threadIdx.x] = old;
  __threadfence_block();
  record(intervals, start, clock64());
}

}  // namespace

#define CONTENTION(name, Operation, T)                                              \
  extern "C" __global__ void __launch_bounds__(1024) shared_contention_##name(      \
      T value, uint32_t colliding_warps, uint32_t colliding_lanes, uint32_t degree, \
      uint32_t steps, T* sink, long long* intervals) {                              \
    run_contention<Operation, T>(value, colliding_warps, colliding_lanes, degree,   \
                                 steps, sink, intervals);                           \
  }

CONTENTION(u32_add, Add, uint32_t)
CONTENTION(f32_add, Add, float)
CONTENTION(f64_add, Add, double)
CONTENTION(u32_casloop, CasLoop, uint32_t)
