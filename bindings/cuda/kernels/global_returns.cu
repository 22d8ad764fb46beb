// Additions to global memory by all warps of a grid, with and without the way of the old
// values back, at random sectors.
//
// Arguments. A warp's lanes are dealt in groups of 2^group_bits neighbours. A group adds to
// words of one of 2^(32 - dropped) places, stride bytes apart: a lane to the word of its number,
// as far as word_mask keeps it. out: memory of out_mask + 1 elements, a power of two and no fewer
// than the grid has threads, in which each addition of a thread has the next row. steps:
// additions of a warp, a multiple of 8.
#include "random.cuh"
#include "timing.cuh"

namespace {

using u64 = unsigned long long;

// Result is what becomes of the old value.
enum Result {
  unused,  // it is not asked for
  beside,  // nor here, but another value is stored where it would be
  used,    // the thread's sum of them is stored in the end
  stored   // each is stored at its thread's place
};

// Targets are where a thread's additions go.
struct Targets {
  unsigned char* base;
  uint32_t dropped, stride, state;

  template <typename T>
  __device__ __forceinline__ T* next() {
    state = next_state(state);
    return reinterpret_cast<T*>(base + u64(upper_bits(state, dropped)) * stride);
  }
};

template <typename T, Result result>
__device__ __forceinline__ void run_returns(Targets targets, T value, uint32_t steps, T* out,
                                            uint32_t out_mask) {
  const uint32_t row = gridDim.x * blockDim.x;
  uint32_t place = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = T(0);
#pragma unroll 1
  for (uint32_t s = 0; s < steps; s += unroll) {
    T old[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) old[u] = atomicAdd(targets.next<T>(), value);
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if constexpr (result == used) sum += old[u];
      if constexpr (result == beside) old[u] = value;
      if constexpr (result == stored || result == beside) {
        out[place & out_mask] = old[u];
        place += row;
      }
    }
  }
  if constexpr (result == used) out[place & out_mask] = sum;
}

}  // namespace

#define RETURNS(name, result, T)                                                          \
  extern "C" __global__ void __launch_bounds__(1024) global_returns_##name(               \
      unsigned char* base, uint32_t group_bits, uint32_t word_mask, uint32_t dropped,     \
      uint32_t stride, T value, uint32_t steps, T* out, uint32_t out_mask) {              \
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;                        \
    base += (thread & word_mask) * sizeof(T);                                             \
    run_returns<T, result>({base, dropped, stride, scramble(thread >> group_bits)},       \
                           value, steps, out, out_mask);                                  \
  }

#define RETURNS_RESULTS(type, T)          \
  RETURNS(type##_unused, unused, T)       \
  RETURNS(type##_beside, beside, T)       \
  RETURNS(type##_used, used, T)           \
  RETURNS(type##_stored, stored, T)

RETURNS_RESULTS(u32, uint32_t)
RETURNS_RESULTS(f32, float)
RETURNS_RESULTS(u64, u64)
RETURNS_RESULTS(f64, double)
