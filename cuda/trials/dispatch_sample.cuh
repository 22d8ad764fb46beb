// How a block of a trial decides: it samples the stream's indices, counts how they collide,
// and walks a decision tree.
#pragma once

#include "../atomtune_kernels.cuh"

namespace trial {

constexpr unsigned threads = 1024;  // of every block that samples or updates
constexpr unsigned full_warp = 0xffffffffu;

// The features, in the order in which a tree numbers them.
enum Feature : uint16_t {
  updates_, bins_, type_, one_, returns_,   // known on the host
  distinct_, highest_, runs_, sectors_,     // sums over 16 sampled warps
  top_, pairs_, repeated_, used_,           // of 2,048 single updates in 8,192 counters
  features, leaf = 0xffff
};

// Node of a tree in preorder: the left child, for values below threshold, is the next node. A
// leaf has its action in threshold.
struct Node {
  uint32_t threshold;
  uint16_t feature;
  uint16_t right;
};

constexpr uint32_t nodes = 511;  // of a full tree of 8 levels of questions
constexpr uint32_t counters = 8192;

// Sampled is what a block that decides keeps in shared memory.
struct Sampled {
  uint32_t counter[counters];
  uint32_t feature[16];
  Node node[nodes];
};

__device__ __forceinline__ uint32_t sum_of_warp(uint32_t v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(full_warp, v);
#else
  return atomtune::sum_warp(v);
#endif
}

__device__ __forceinline__ uint32_t highest_of_warp(uint32_t v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(full_warp, v);
#else
  for (int distance = 16; distance > 0; distance /= 2) {
    const uint32_t other = __shfl_xor_sync(full_warp, v, distance);
    v = other > v ? other : v;
  }
  return v;
#endif
}

// within_stretch is where in a stretch of that many updates sample j stands: the fraction of j
// times the golden ratio.
__device__ __forceinline__ uint64_t within_stretch(uint32_t j, uint64_t many) {
  return (uint64_t(j * 2654435769u) * many) >> 32;
}

// WholeStream samples 16 warps and 2,048 updates of a stream of at least 2,048.
struct WholeStream {
  static constexpr uint32_t warps = 16, singles = 2048;
  uint64_t updates;

  __device__ __forceinline__ uint64_t warp(uint32_t j) const {
    const uint64_t whole = updates / 32;
    return (j * whole + within_stretch(j, whole)) >> 4;
  }
  __device__ __forceinline__ uint64_t single(uint32_t j) const {
    return (j * updates + within_stretch(j, updates)) >> 11;
  }
};

// OwnTile takes the block's first 1,024 updates for the sample.
struct OwnTile {
  static constexpr uint32_t warps = 32, singles = 1024;
  uint64_t tile;

  __device__ __forceinline__ uint64_t warp(uint32_t j) const { return tile * 32 + j; }
  __device__ __forceinline__ uint64_t single(uint32_t j) const { return tile * threads + j; }
};

// scaled is a feature's value as 16 warps and 2,048 singles would have it.
template <typename Place>
__device__ __forceinline__ uint32_t scaled(uint32_t feature, uint32_t value) {
  constexpr uint32_t more = 2048 / Place::singles;
  if (feature < distinct_) return value;
  if (feature < top_) return value * 16 / Place::warps;
  return feature == pairs_ ? value * more * more : value * more;
}

// leads says whether the caller is the first of its peers in the warp.
__device__ __forceinline__ bool leads(unsigned peers, unsigned lane) {
  return unsigned(__ffs(int(peers))) == lane + 1;
}

// count_warp adds a sampled warp's figures to the block's: its distinct targets, the most
// lanes on one, runs of neighbours, and sectors of 32 bytes of 4-byte targets.
__device__ __forceinline__ void count_warp(uint32_t* feature, uint32_t target) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned peers = __match_any_sync(full_warp, target);
  const unsigned distinct = __ballot_sync(full_warp, leads(peers, lane));
  const uint32_t highest = highest_of_warp(uint32_t(__popc(peers)));
  const uint32_t before = __shfl_up_sync(full_warp, target, 1);
  const unsigned heads = __ballot_sync(full_warp, lane == 0 || before != target);
  const unsigned near = __match_any_sync(full_warp, target / 8);
  const unsigned sectors = __ballot_sync(full_warp, leads(near, lane));
  if (lane != 0) return;
  atomicAdd(feature + distinct_, uint32_t(__popc(distinct)));
  atomicAdd(feature + highest_, highest);
  atomicAdd(feature + runs_, uint32_t(__popc(heads)));
  atomicAdd(feature + sectors_, uint32_t(__popc(sectors)));
}

// count_singles counts the caller's single updates. What a counter held before tells the
// features: a counter that goes from c to c + 1 makes c pairs more.
template <uint32_t each>
__device__ __forceinline__ void count_singles(Sampled& s, const uint32_t (&target)[each]) {
  uint32_t top = 0, pairs = 0, repeated = 0, used = 0;
#pragma unroll
  for (uint32_t e = 0; e < each; ++e) {
    const uint32_t held = atomicAdd(&s.counter[(target[e] * 2246822519u) >> 19], 1u);
    top = held + 1 > top ? held + 1 : top;
    pairs += held;
    repeated += held == 3 ? 4 : held > 3;
    used += held == 0;
  }
  top = highest_of_warp(top);
  pairs = sum_of_warp(pairs);
  repeated = sum_of_warp(repeated);
  used = sum_of_warp(used);
  if (threadIdx.x % 32 != 0) return;
  atomicMax(s.feature + top_, top);
  atomicAdd(s.feature + pairs_, pairs);
  atomicAdd(s.feature + repeated_, repeated);
  atomicAdd(s.feature + used_, used);
}

// decide returns the action of the tree's leaf. The whole block calls it, and may overwrite
// s when it returns.
template <typename Place>
__device__ __forceinline__ uint32_t decide(Sampled& s, const Node* __restrict__ tree,
                                           const uint32_t* __restrict__ index,
                                           uint32_t updates, uint32_t bins, Place place) {
  constexpr uint32_t each = Place::singles / threads;
  const unsigned thread = threadIdx.x, warp = thread / 32;
  uint32_t single[each];
#pragma unroll
  for (uint32_t e = 0; e < each; ++e) {
    single[e] = __ldg(index + place.single(thread + e * threads));
  }
  uint32_t target = 0;
  if (warp < Place::warps) target = __ldg(index + place.warp(warp) * 32 + thread % 32);
  for (uint32_t k = thread; k < counters; k += threads) s.counter[k] = 0;
  for (uint32_t k = thread; k < nodes; k += threads) s.node[k] = tree[k];
  if (thread < features) {
    s.feature[thread] = thread == updates_ ? updates
                        : thread == bins_  ? bins
                        : thread == type_  ? 1
                                           : 0;
  }
  __syncthreads();
  count_singles(s, single);
  if (warp < Place::warps) count_warp(s.feature, target);
  __syncthreads();
  uint32_t at = 0;
  while (s.node[at].feature != leaf) {
    const Node node = s.node[at];
    const uint32_t value = scaled<Place>(node.feature, s.feature[node.feature]);
    at = value < node.threshold ? at + 1 : node.right;
  }
  const uint32_t action = s.node[at].threshold;
  __syncthreads();
  return action;
}

}  // namespace trial
