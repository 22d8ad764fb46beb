// What the forms of atomtune.cuh are made of: the hardware's atomic addition, the
// lanes of a warp, groups of lanes with equal indices, sums and scans over them.
#pragma once

#include <cstdint>
#include <type_traits>

namespace atomtune {

inline constexpr unsigned full_warp = 0xffffffffu;

// One is the value of an update that adds the constant 1, as a histogram does.
struct One {};

template <typename V>
inline constexpr bool is_one = std::is_same_v<V, One>;

// Key is the type in which lanes compare indices of type I.
template <typename I>
using Key = std::conditional_t<(sizeof(I) > 4), unsigned long long, uint32_t>;

// plus adds two numbers; integers wrap, signed ones too, as the atomics do.
template <typename T>
__host__ __device__ __forceinline__ T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  } else {
    return a + b;
  }
}

// atomic_add is the hardware's atomicAdd for every type of the forms, and for One.
// It returns what the target held before.
template <typename T>
__device__ __forceinline__ T atomic_add(T* target, T v) {
  if constexpr (std::is_integral_v<T>) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "integers of 32 or 64 bits");
    using Word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    return static_cast<T>(
        atomicAdd(reinterpret_cast<Word*>(target), static_cast<Word>(v)));
  } else {
    return atomicAdd(target, v);
  }
}

template <typename T>
__device__ __forceinline__ T atomic_add(T* target, One) {
  return atomic_add<T>(target, T(1));
}

// thread_rank is the thread's number in its block, x fastest.
__device__ __forceinline__ unsigned thread_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__device__ __forceinline__ unsigned lane_id() { return thread_rank() % 32; }

__device__ __forceinline__ unsigned lanes_below(unsigned lane) {
  return (1u << lane) - 1u;
}

__device__ __forceinline__ unsigned lanes_above(unsigned lane) {
  return 0xfffffffeu << lane;
}

// lane_span holds the lanes from first to end - 1, for first < end <= 32.
__device__ __forceinline__ unsigned lane_span(unsigned first, unsigned end) {
  return (full_warp << first) & (full_warp >> (32 - end));
}

// highest_lane is the highest of lanes, -1 where there is none.
__device__ __forceinline__ int highest_lane(unsigned lanes) {
  return 31 - __clz(static_cast<int>(lanes));
}

// has_run reports whether bits holds at least length set bits in a row.
__device__ __forceinline__ bool has_run(unsigned bits, int length) {
  for (int k = 1; k < length; ++k) bits &= bits << 1;
  return bits != 0;
}

// run_end is the lane after the last of the caller's run, at most 32. joined holds
// the lanes that continue their left neighbour's run.
__device__ __forceinline__ unsigned run_end(unsigned joined, unsigned lane) {
  const unsigned right = ~joined & lanes_above(lane);
  return right != 0 ? __ffs(static_cast<int>(right)) - 1 : 32;
}

// get_peers returns the lanes of mask whose key equals the caller's, one turn of
// the loop per distinct key [westphal15, example 1].
template <typename K>
__device__ __forceinline__ unsigned get_peers(unsigned mask, K key) {
  unsigned peers = 0;
  unsigned unclaimed = mask;
  while (unclaimed != 0) {
    const K claimed = __shfl_sync(mask, key, __ffs(static_cast<int>(unclaimed)) - 1);
    const unsigned same = __ballot_sync(mask, key == claimed);
    if (key == claimed) peers = same;
    unclaimed &= ~same;
  }
  return peers;
}

// reduce_peers sums v over each group of peers by a tree over their ranks; the
// lowest lane of each group returns the sum, the others a partial one. All lanes
// of mask take part, in one turn per level of the largest group's tree
// [westphal15, example 2].
template <typename T>
__device__ __forceinline__ T reduce_peers(unsigned mask, unsigned peers, T v) {
  const unsigned lane = lane_id();
  unsigned rank = __popc(peers & lanes_below(lane));
  unsigned rest = peers & lanes_above(lane);
  while (__any_sync(mask, rest != 0)) {
    const int next = __ffs(static_cast<int>(rest)) - 1;
    const T other = __shfl_sync(mask, v, rest != 0 ? next : static_cast<int>(lane));
    if (rest != 0) v = plus(v, other);
    rest &= ~__ballot_sync(mask, rank & 1u);
    rank >>= 1;
  }
  return v;
}

// sum_peers is reduce_peers for a value, and a population count for One.
template <typename T, typename V>
__device__ __forceinline__ T sum_peers(unsigned mask, unsigned peers, V v) {
  if constexpr (is_one<V>) {
    return T(__popc(peers));
  } else {
    return reduce_peers<T>(mask, peers, T(v));
  }
}

// scan_peers returns the sum of v over the caller's peers up to the caller itself,
// in lane order. All lanes of mask take part; the number of turns is the base-2
// logarithm of the largest group, rounded up.
template <typename T>
__device__ __forceinline__ T scan_peers(unsigned mask, unsigned peers, T v) {
  const int lane = static_cast<int>(lane_id());
  // left is the next peer below those whose values v holds already.
  int left = highest_lane(peers & lanes_below(lane));
  while (__any_sync(mask, left >= 0)) {
    const int from = left >= 0 ? left : lane;
    const T other = __shfl_sync(mask, v, from);
    const int further = __shfl_sync(mask, left, from);
    if (left >= 0) {
      v = plus(other, v);
      left = further;
    }
  }
  return v;
}

// sum_runs sums v over each run of lanes; the head of each run returns the sum.
// joined holds the lanes that continue their left neighbour's run. The number of
// turns is the base-2 logarithm of the longest run, rounded up.
template <typename T, typename V>
__device__ __forceinline__ T sum_runs(unsigned mask, unsigned joined, V v) {
  const unsigned lane = lane_id();
  const unsigned end = run_end(joined, lane);
  if constexpr (is_one<V>) {
    return T(end - lane);
  } else {
    T sum = T(v);
    // longer holds a bit exactly where a run exceeds distance lanes.
    unsigned longer = joined;
    for (unsigned distance = 1; longer != 0; distance <<= 1) {
      const T other = __shfl_down_sync(mask, sum, distance);
      if (lane + distance < end) sum = plus(sum, other);
      longer &= longer << distance;
    }
    return sum;
  }
}

// draw_lane picks a lane of mask: the one numbered draw % 32, or the next active
// one above it, cyclically.
__device__ __forceinline__ int draw_lane(unsigned mask, unsigned draw) {
  const unsigned start = draw % 32;
  const int next = __ffs(static_cast<int>(__funnelshift_r(mask, mask, start))) - 1;
  return static_cast<int>((start + static_cast<unsigned>(next)) % 32);
}

// default_draw differs between warps and is the same for all lanes of one.
__device__ __forceinline__ unsigned default_draw() {
  const unsigned block = blockDim.x * blockDim.y * blockDim.z;
  const unsigned warp = blockIdx.x * ((block + 31) / 32) + thread_rank() / 32;
  return (warp * 2654435769u) >> 27;
}

}  // namespace atomtune
