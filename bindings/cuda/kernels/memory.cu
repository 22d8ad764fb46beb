// Memory: streams that copy, read, or read and add, and one thread's chain of
// loads. All accesses pass L1 by. Arrays are powers of two of 16-byte items; the
// grid walks round them, so that every thread is busy whatever their size.
#include "random.cuh"
#include "timing.cuh"

namespace {

constexpr int loads_per_round = 8;

__device__ __forceinline__ uint32_t thread_of_grid() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

}  // namespace

extern "C" __global__ void copy_words(const uint4* from, uint4* to, unsigned long long mask,
                                      uint32_t rounds) {
  const unsigned long long step = gridDim.x * blockDim.x;
  unsigned long long k = thread_of_grid();
#pragma unroll 1
  for (uint32_t r = 0; r < rounds; ++r) {
    uint4 v[loads_per_round];
#pragma unroll
    for (int u = 0; u < loads_per_round; ++u) v[u] = __ldcg(from + (k + u * step & mask));
#pragma unroll
    for (int u = 0; u < loads_per_round; ++u) __stcg(to + (k + u * step & mask), v[u]);
    k += loads_per_round * step;
  }
}

namespace {

// read_round is one round of loads. The data are zero, but the compiler does not
// know.
__device__ __forceinline__ uint32_t read_round(const uint4* from, unsigned long long k,
                                               unsigned long long step,
                                               unsigned long long mask) {
  uint4 v[loads_per_round];
#pragma unroll
  for (int u = 0; u < loads_per_round; ++u) v[u] = __ldcg(from + (k + u * step & mask));
  uint32_t seen = 0;
#pragma unroll
  for (int u = 0; u < loads_per_round; ++u) seen |= v[u].x | v[u].y | v[u].z | v[u].w;
  return seen;
}

}  // namespace

extern "C" __global__ void read_words(const uint4* from, unsigned long long mask,
                                      uint32_t rounds, uint32_t* sink) {
  const unsigned long long step = gridDim.x * blockDim.x;
  unsigned long long k = thread_of_grid();
  uint32_t seen = 0;
#pragma unroll 1
  for (uint32_t r = 0; r < rounds; ++r, k += loads_per_round * step) {
    seen |= read_round(from, k, step, mask);
  }
  if (seen != 0) *sink = seen;
}

// read_and_add is read_words in which a warp also adds to a random line of
// 2^(32 - dropped) after every fourth load.
extern "C" __global__ void read_and_add(const uint4* from, unsigned long long mask,
                                        uint32_t rounds, uint32_t* lines, uint32_t dropped,
                                        uint32_t value, uint32_t* sink) {
  const unsigned long long step = gridDim.x * blockDim.x;
  unsigned long long k = thread_of_grid();
  uint32_t* const mine = lines + threadIdx.x % warp_size;
  uint32_t state = scramble(thread_of_grid() / warp_size);
  uint32_t seen = 0;
#pragma unroll 1
  for (uint32_t r = 0; r < rounds; ++r, k += loads_per_round * step) {
    seen |= read_round(from, k, step, mask);
#pragma unroll
    for (int add = 0; add < loads_per_round / 4; ++add) {
      state = next_state(state);
      atomicAdd(mine + size_t(upper_bits(state, dropped)) * warp_size, value);
    }
  }
  if (seen != 0) *sink = seen;
}

namespace {

constexpr uint32_t node_words = 32;  // a node fills a 128-byte line

// mix is a bijection of words of so many bits, at least 2.
__device__ __forceinline__ uint32_t mix(uint32_t x, uint32_t bits) {
  const uint32_t mask = 0xffffffffu >> (32 - bits);
  const uint32_t half = bits / 2;
  x ^= x >> half;
  x = x * 0x9e3779b1u & mask;
  x ^= x >> half;
  x = x * 0x85ebca6bu & mask;
  return x ^ x >> half;
}

}  // namespace

// link_lines makes one cycle through all 2^bits lines: that of a generator of full
// period, its numbers mixed. There is one thread to a line.
extern "C" __global__ void link_lines(uint32_t* lines, uint32_t bits) {
  const uint32_t n = thread_of_grid();
  const uint32_t mask = 0xffffffffu >> (32 - bits);
  if (n > mask) return;
  const uint32_t next = n * 1664525u + 1013904223u & mask;
  lines[size_t(mix(n, bits)) * node_words] = mix(next, bits);
}

// chase follows the cycle from a line on.
extern "C" __global__ void chase(const uint32_t* lines, uint32_t start, uint32_t steps,
                                 uint32_t* end, long long* intervals) {
  uint32_t n = start;
  const long long t0 = clock64();
#pragma unroll 1
  for (uint32_t s = 0; s < steps; s += unroll) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) n = __ldcg(lines + size_t(n) * node_words);
  }
  *end = n;
  record(intervals, t0, clock64());
}
