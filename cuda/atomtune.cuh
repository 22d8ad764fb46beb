// Reduced-collision forms of atomicAdd, to be called where a kernel calls
// atomicAdd(&A[i], v).
//
// Every form adds v to A[i] for each calling lane and is right for any order of
// indices and any set of active lanes. A is global or shared memory. The forms
// differ in what they do inside the warp first:
//
//   add_naive  one atomic per lane
//   add_sr     one atomic per run of neighbouring lanes with equal indices
//              [egielski14] Algorithm 1, with run heads found first
//   add_vr     the lanes that share one sampled lane's index are summed first
//              [egielski14] Algorithm 2
//   add_peers  one atomic per distinct index, found by a ballot loop [westphal15]
//   add_match  one atomic per distinct index, found by the match instruction
//
// T is uint32_t, int32_t, float, unsigned long long, long long or double
// (double needs sm_60, add_match needs sm_70). v is a T, or One{} to add the
// constant 1; ones are counted, so no value travels between lanes.
//
// mask names the lanes that make the call together. The default takes those that
// happen to be converged, which is always correct; a caller that knows the set
// passes it and loses no merging to divergence.
//
// The forms return nothing. Sums of floats are formed in another order than the
// plain atomics would choose.
//
// [egielski14] Egielski, Huang, Zhang. Massive Atomics for Massive Parallelism on
//   GPUs. ISMM 2014.
// [westphal15] Westphal. Voting and Shuffling to Optimize Atomic Operations.
//   NVIDIA developer blog, 2015.
#pragma once

#include <cstdint>
#include <type_traits>

namespace atomtune {

inline constexpr unsigned full_warp = 0xffffffffu;

// Shortest run of equal neighbours for which add_sr leaves the plain path.
inline constexpr int sr_threshold = 2;

// Fewest lanes on the sampled index for which add_vr leaves the plain path: the least x
// with (N - x) + log2 x + s <= x, [egielski14] inequality (2), for N = 32 lanes and a
// set-up of s = 2 steps. From there on add_vr is never slower than plain atomics by that
// count of steps; a lower threshold reduces more often and guarantees less.
inline constexpr int vr_threshold = 20;

// One is the value of an update that adds the constant 1, as a histogram does.
struct One {};

template <typename V>
inline constexpr bool is_one = std::is_same_v<V, One>;

// atomic_add is the hardware's atomicAdd, extended to long long and One.
template <typename T>
__device__ __forceinline__ void atomic_add(T* target, T v) {
  if constexpr (std::is_same_v<T, long long>) {
    atomicAdd(reinterpret_cast<unsigned long long*>(target),
              static_cast<unsigned long long>(v));
  } else {
    atomicAdd(target, v);
  }
}

template <typename T>
__device__ __forceinline__ void atomic_add(T* target, One) {
  atomic_add<T>(target, T(1));
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

// has_run tells whether bits holds at least length set bits in a row.
__device__ __forceinline__ bool has_run(unsigned bits, int length) {
  for (int k = 1; k < length; ++k) bits &= bits << 1;
  return bits != 0;
}

// get_peers returns the lanes of mask whose key equals the caller's, one turn of
// the loop per distinct key [westphal15, example 1].
__device__ __forceinline__ unsigned get_peers(unsigned mask, uint32_t key) {
  unsigned peers = 0;
  unsigned unclaimed = mask;
  while (unclaimed != 0) {
    const uint32_t claimed = __shfl_sync(mask, key, __ffs(unclaimed) - 1);
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
    const int next = __ffs(rest) - 1;
    const T other = __shfl_sync(mask, v, rest != 0 ? next : int(lane));
    if (rest != 0) v += other;
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
    return reduce_peers<T>(mask, peers, v);
  }
}

// sum_runs sums v over each run of lanes; the head of each run returns the sum.
// joined holds the lanes that continue their left neighbour's run. The number of
// turns is the base-2 logarithm of the longest run, rounded up.
template <typename T, typename V>
__device__ __forceinline__ T sum_runs(unsigned mask, unsigned joined, V v) {
  const unsigned lane = lane_id();
  const unsigned right = ~joined & lanes_above(lane);
  const unsigned end = right != 0 ? __ffs(right) - 1 : 32;
  if constexpr (is_one<V>) {
    return T(end - lane);
  } else {
    T sum = v;
    // longer holds a bit exactly where a run exceeds distance lanes.
    unsigned longer = joined;
    for (unsigned distance = 1; longer != 0; distance <<= 1) {
      const T other = __shfl_down_sync(mask, sum, distance);
      if (lane + distance < end) sum += other;
      longer &= longer << distance;
    }
    return sum;
  }
}

// draw_lane picks a lane of mask: the one numbered draw % 32, or the next active
// one above it, cyclically.
__device__ __forceinline__ int draw_lane(unsigned mask, unsigned draw) {
  const unsigned start = draw % 32;
  return (start + __ffs(__funnelshift_r(mask, mask, start)) - 1) % 32;
}

// default_draw differs between warps and is the same for all lanes of one.
__device__ __forceinline__ unsigned default_draw() {
  const unsigned block = blockDim.x * blockDim.y * blockDim.z;
  const unsigned warp = blockIdx.x * ((block + 31) / 32) + thread_rank() / 32;
  return (warp * 2654435769u) >> 27;
}

template <typename T, typename V>
__device__ __forceinline__ void add_naive(T* A, uint32_t i, V v) {
  atomic_add<T>(A + i, v);
}

// add_sr sums runs of neighbouring lanes with equal indices and adds each run
// once, from its head. An inactive lane ends a run. Where no run reaches
// threshold lanes, every lane adds for itself.
template <typename T, typename V>
__device__ __forceinline__ void add_sr(T* A, uint32_t i, V v,
                                       unsigned mask = __activemask(),
                                       int threshold = sr_threshold) {
  const unsigned lane = lane_id();
  const uint32_t left = __shfl_up_sync(mask, i, 1);
  const bool left_active = ((mask << 1) >> lane) & 1u;
  const bool joins = left_active && left == i;
  const unsigned joined = __ballot_sync(mask, joins);
  if (!has_run(joined, threshold - 1)) {
    atomic_add<T>(A + i, v);
    return;
  }
  const T sum = sum_runs<T>(mask, joined, v);
  if (!joins) atomic_add<T>(A + i, sum);
}

// add_groups sums v over each group of peers and adds each group once, from its
// lowest lane.
template <typename T, typename V>
__device__ __forceinline__ void add_groups(T* A, uint32_t i, V v, unsigned mask,
                                           unsigned peers) {
  const T sum = sum_peers<T>(mask, peers, v);
  if ((peers & lanes_below(lane_id())) == 0) atomic_add<T>(A + i, sum);
}

// add_vr lets the lanes vote for the index of one sampled lane. From threshold
// votes on, the voters' values are summed and their lowest lane adds the sum; all
// other lanes add for themselves. draw chooses the sampled lane and must be the
// same for all lanes of mask; pass a fresh number for each call so that frequent
// indices are sampled in proportion to their frequency.
template <typename T, typename V>
__device__ __forceinline__ void add_vr(T* A, uint32_t i, V v,
                                       unsigned mask = __activemask(),
                                       unsigned draw = default_draw(),
                                       int threshold = vr_threshold) {
  const uint32_t sampled = __shfl_sync(mask, i, draw_lane(mask, draw));
  const unsigned voters = __ballot_sync(mask, i == sampled);
  if (__popc(voters) < threshold) {
    atomic_add<T>(A + i, v);
    return;
  }
  add_groups(A, i, v, mask, i == sampled ? voters : 1u << lane_id());
}

// add_peers adds once per distinct index of the warp, grouped by a ballot loop.
template <typename T, typename V>
__device__ __forceinline__ void add_peers(T* A, uint32_t i, V v,
                                          unsigned mask = __activemask()) {
  add_groups(A, i, v, mask, get_peers(mask, i));
}

// add_match adds once per distinct index of the warp, grouped by match.any.
template <typename T, typename V>
__device__ __forceinline__ void add_match(T* A, uint32_t i, V v,
                                          unsigned mask = __activemask()) {
  add_groups(A, i, v, mask, __match_any_sync(mask, i));
}

}  // namespace atomtune
