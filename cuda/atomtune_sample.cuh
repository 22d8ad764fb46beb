// A sample of a stream's indices, read by every block for itself: how they collide, as whole
// numbers that a decision tree compares, and which targets are hot.
//
//   warps    up to 8 whole warps of 32 updates each, at places spread over the stream: the
//            collisions within a warp
//   singles  2,048 updates at places spread over the stream, or all of a shorter one: the
//            frequency of targets
//
// The places depend on the number of updates alone, so that all blocks, runs and ranks see
// the same. Package tuner/dispatch takes the same sample and has the same numbers.
#pragma once

#include "atomtune_hot.cuh"

namespace atomtune {

namespace sampling {

inline constexpr uint32_t warps = 8, singles = 2048, counters = 8192;

// spread is place j of places spread over all: floor((j + f) all / places), with the
// fraction f of j times the golden ratio.
__host__ __device__ __forceinline__ uint64_t spread(uint32_t j, uint64_t all,
                                                    uint32_t places) {
  const uint64_t golden = uint32_t(j * 2654435769u);
  // golden * all / 2^32 without overflow
  const uint64_t within = golden * (all >> 32) + ((golden * (all & 0xffffffffu)) >> 32);
  return (j * all + within) / places;
}

// warp_place is where sampled warp j stands, in warps of the stream's whole ones.
__host__ __device__ __forceinline__ uint64_t warp_place(uint32_t j, uint64_t whole) {
  return whole <= warps ? j : spread(j, whole, warps);
}

// single_place is the update that is single j.
__host__ __device__ __forceinline__ uint64_t single_place(uint32_t j, uint64_t updates) {
  return updates <= singles ? j : spread(j, updates, singles);
}

__device__ __forceinline__ uint32_t counter_of(uint32_t target) {
  return (target * 2246822519u) >> 19;
}

}  // namespace sampling

// Feature is the place of a number among Features, as package tuner/dispatch names them.
enum Feature : uint8_t {
  feature_updates,
  feature_bins,
  feature_type,
  feature_one,
  feature_returns,
  known_features,  // those before it are known without a sample
  feature_distinct = known_features,
  feature_highest,
  feature_runs,
  feature_sectors,
  feature_top,
  feature_pairs,
  feature_repeated,
  feature_used,
  feature_count
};

// Features are what a tree is asked with. Means over warps are sums over 8 warps, numbers
// of singles are of 2,048.
struct Features {
  uint32_t of[feature_count];
};

// scaled is sum times whole / part, rounded down.
__host__ __device__ __forceinline__ uint32_t scaled(uint32_t sum, uint32_t whole,
                                                    uint32_t part) {
  return part == whole || part == 0 ? sum : uint32_t(uint64_t(sum) * whole / part);
}

// scaled_pairs is the number of pairs among 2,048 singles in place of part.
__host__ __device__ __forceinline__ uint32_t scaled_pairs(uint32_t pairs, uint32_t part) {
  if (part == sampling::singles || part == 0) return pairs;
  const uint64_t all = uint64_t(pairs) * sampling::singles / part * sampling::singles / part;
  return all < 0xffffffffu ? uint32_t(all) : 0xffffffffu;
}

// scale_features brings sums over the sample of a stream of so many updates to those of 8
// warps and 2,048 singles.
__host__ __device__ __forceinline__ void scale_features(uint32_t* sums, uint64_t updates) {
  const uint64_t whole = updates / 32;
  const uint32_t warps = whole < sampling::warps ? uint32_t(whole) : sampling::warps;
  for (uint32_t f = feature_distinct; f <= feature_sectors; ++f) {
    sums[f] = scaled(sums[f], sampling::warps, warps);
  }
  const uint32_t taken =
      updates < sampling::singles ? uint32_t(updates) : sampling::singles;
  sums[feature_top] = scaled(sums[feature_top], sampling::singles, taken);
  sums[feature_pairs] = scaled_pairs(sums[feature_pairs], taken);
  sums[feature_repeated] = scaled(sums[feature_repeated], sampling::singles, taken);
  sums[feature_used] = scaled(sums[feature_used], sampling::singles, taken);
}

// Sums and maxima over a warp, by one instruction where the device has it.
__device__ __forceinline__ uint32_t add_lanes(uint32_t v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(full_warp, v);
#else
  return sum_warp(v);
#endif
}

__device__ __forceinline__ uint32_t max_lanes(uint32_t v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(full_warp, v);
#else
  for (int distance = 16; distance > 0; distance /= 2) {
    const uint32_t other = __shfl_xor_sync(full_warp, v, distance);
    v = other > v ? other : v;
  }
  return v;
#endif
}

// StreamSample is a thread's part of the sample, in blocks of Threads threads.
template <unsigned Threads>
struct StreamSample {
  static constexpr unsigned each = sampling::singles / Threads;  // singles of a thread
  static constexpr unsigned block_warps = Threads / 32;

  uint32_t taken;         // singles of the whole block
  uint32_t single[each];  // no_target where none is taken
  uint32_t count[each];   // of its counter

  // takes tells whether the caller has a single k.
  __device__ __forceinline__ bool takes(unsigned k) const {
    return k * Threads + threadIdx.x < taken;
  }

  // load reads the singles.
  template <typename Index>
  __device__ __forceinline__ void load(Index index, size_t updates) {
    taken = updates < sampling::singles ? uint32_t(updates) : sampling::singles;
#pragma unroll
    for (unsigned k = 0; k < each; ++k) {
      const uint32_t j = k * Threads + threadIdx.x;
      single[k] = takes(k) ? target_at(index, sampling::single_place(j, updates))
                           : no_target;
    }
  }

  // Lanes is a sampled warp's target of the caller's lane.
  struct Lanes {
    uint32_t target[(2 * sampling::warps + block_warps - 1) / block_warps];
  };

  // load_lanes reads the sampled warps. Two warps of the block look at each: one at its
  // targets, one at their sectors.
  template <typename Index>
  static __device__ __forceinline__ Lanes load_lanes(Index index, size_t updates) {
    const uint64_t whole = updates / 32;
    const uint32_t taken = whole < sampling::warps ? uint32_t(whole) : sampling::warps;
    Lanes lanes;
    uint32_t k = 0;
    for (uint32_t task = threadIdx.x / 32; task < 2 * sampling::warps;
         task += block_warps, ++k) {
      const uint32_t j = task % sampling::warps;
      const size_t u = sampling::warp_place(j, whole) * 32 + threadIdx.x % 32;
      lanes.target[k] = j < taken ? target_at(index, u) : no_target;
    }
    return lanes;
  }

  // count_lanes adds what the sampled warps tell to sums, which has feature_count words.
  // A sector has 2^sector_shift targets.
  static __device__ __forceinline__ void count_lanes(const Lanes& lanes, uint64_t whole,
                                                     unsigned sector_shift,
                                                     uint32_t* sums) {
    const unsigned lane = threadIdx.x % 32;
    uint32_t k = 0;
    for (uint32_t task = threadIdx.x / 32; task < 2 * sampling::warps;
         task += block_warps, ++k) {
      if (task % sampling::warps >= whole) continue;
      const bool sectors = task >= sampling::warps;
      const uint32_t key = lanes.target[k] >> (sectors ? sector_shift : 0);
      const unsigned peers = __match_any_sync(full_warp, key);
      const unsigned leaders =
          __ballot_sync(full_warp, (peers & lanes_below(lane)) == 0);
      if (sectors) {
        if (lane == 0) atomic_add<uint32_t>(sums + feature_sectors, __popc(leaders));
        continue;
      }
      const unsigned joined = __ballot_sync(full_warp, joins_left(full_warp, key));
      const uint32_t highest = max_lanes(__popc(peers));
      if (lane == 0) {
        atomic_add<uint32_t>(sums + feature_distinct, __popc(leaders));
        atomic_add<uint32_t>(sums + feature_highest, highest);
        atomic_add<uint32_t>(sums + feature_runs, 32 - __popc(joined));
      }
    }
  }

  // count_singles adds each single to its counter, and what the counts before tell to sums. A
  // warp's first target is added once for all lanes that have it, so that a hot one does not
  // hold the counter up. The whole block calls it.
  __device__ __forceinline__ void count_singles(uint32_t* counter, uint32_t* sums) const {
    static_assert(each <= 64, "sums over a warp fit into their bits");
    uint32_t top = 0, pairs = 0, repeated = 0, used = 0;
#pragma unroll
    for (unsigned k = 0; k < each; ++k) {
      const bool leads = threadIdx.x % 32 == 0;
      const uint32_t first = __shfl_sync(full_warp, single[k], 0);
      const unsigned same = __ballot_sync(full_warp, takes(k) && single[k] == first);
      if (!takes(k) || (!leads && single[k] == first)) continue;
      const uint32_t added = leads ? __popc(same) : 1;
      const uint32_t before =
          atomic_add<uint32_t>(counter + sampling::counter_of(single[k]), added);
      const uint32_t now = before + added;
      top = now > top ? now : top;
      pairs += now * (now - 1) - before * (before - 1);
      repeated += now < 4 ? 0 : before < 4 ? now : added;
      used += before == 0 ? 1 : 0;
    }
    top = max_lanes(top);
    pairs = add_lanes(pairs);
    const uint32_t both = add_lanes(repeated << 12 | used);
    if (threadIdx.x % 32 == 0) {
      atomicMax(sums + feature_top, top);
      atomic_add<uint32_t>(sums + feature_pairs, pairs);
      atomic_add<uint32_t>(sums + feature_repeated, both >> 12);
      atomic_add<uint32_t>(sums + feature_used, both & 0xfffu);
    }
  }

  // read_counts reads the counts of the caller's singles, after count_singles and a barrier.
  __device__ __forceinline__ void read_counts(const uint32_t* counter) {
#pragma unroll
    for (unsigned k = 0; k < each; ++k) {
      count[k] = takes(k) ? counter[sampling::counter_of(single[k])] : 0;
    }
  }

  // fill_tags gives each slot of a table the single with the highest count of those that
  // hash there, the first of equal ones; counts below 2 say nothing. best has slots words.
  // The whole block calls it, and may read the tags after a barrier.
  __device__ __forceinline__ void fill_tags(uint32_t* tags, uint32_t* best,
                                            uint32_t slots) const {
    for (uint32_t k = threadIdx.x; k < slots; k += Threads) {
      tags[k] = no_target;
      best[k] = 0;
    }
    __syncthreads();
    const unsigned shift = hash_shift(slots);
#pragma unroll
    for (unsigned k = 0; k < each; ++k) {
      uint32_t* const at = best + hot_slot(single[k], shift);
      if (offers(k) && offer(k) > *static_cast<volatile uint32_t*>(at)) {
        atomicMax(at, offer(k));
      }
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < each; ++k) {
      const uint32_t slot = hot_slot(single[k], shift);
      if (offers(k) && best[slot] == offer(k)) tags[slot] = single[k];
    }
    __syncthreads();
  }

 private:
  // offers tells whether single k may stand in a table.
  __device__ __forceinline__ bool offers(unsigned k) const {
    return takes(k) && count[k] >= 2 && single[k] != no_target;
  }

  // offer orders singles by count, then the earlier first.
  __device__ __forceinline__ uint32_t offer(unsigned k) const {
    return count[k] * sampling::singles + (sampling::singles - 1 - k * Threads - threadIdx.x);
  }
};

}  // namespace atomtune
