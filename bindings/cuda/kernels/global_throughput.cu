// Additions to global memory by all warps of a grid, the results unused, at random
// targets.
//
// Arguments. There are 2^(32 - dropped) targets, stride bytes apart. steps: additions
// of a warp, a multiple of 4.
#include "operations.cuh"
#include "random.cuh"
#include "timing.cuh"

namespace {

// Spread is how a warp's lanes stand to each other.
enum Spread {
  same,     // all on one target
  separate, // each on one of its own
  line      // on neighbouring words, from one target on
};

constexpr int additions_per_turn = 4;

template <typename T, Spread spread>
__device__ __forceinline__ void run_additions(unsigned char* base, uint32_t dropped,
                                              uint32_t stride, T value, uint32_t steps) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t state = scramble(spread == separate ? thread : thread / warp_size);
  if (spread == line) base += threadIdx.x % warp_size * sizeof(T);
#pragma unroll 1
  for (uint32_t s = 0; s < steps; s += additions_per_turn) {
#pragma unroll
    for (int u = 0; u < additions_per_turn; ++u) {
      state = next_state(state);
      const u64 offset = u64(upper_bits(state, dropped)) * stride;
      atomicAdd(reinterpret_cast<T*>(base + offset), value);
    }
  }
}

}  // namespace

#define THROUGHPUT(name, spread, T)                                                     \
  extern "C" __global__ void __launch_bounds__(1024) global_throughput_##name(          \
      unsigned char* base, uint32_t dropped, uint32_t stride, T value, uint32_t steps) { \
    run_additions<T, spread>(base, dropped, stride, value, steps);                      \
  }

#define THROUGHPUT_SPREADS(type, T)            \
  THROUGHPUT(type##_add_warp, same, T)         \
  THROUGHPUT(type##_add_lanes, separate, T)    \
  THROUGHPUT(type##_add_line, line, T)

THROUGHPUT_SPREADS(u32, uint32_t)
THROUGHPUT_SPREADS(f32, float)
THROUGHPUT_SPREADS(u64, u64)
THROUGHPUT_SPREADS(f64, double)
