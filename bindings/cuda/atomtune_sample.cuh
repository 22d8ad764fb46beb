// A sample of a stream's indices, read by every block for itself: how they collide, as whole
// numbers that a decision tree compares, and which targets are hot.
//
//   64 whole warps of 32 updates, at places spread over the stream, or all of a shorter one
//   the even ones decide: by how many of them have a target
//   every fourth tells what happens within a warp
//   a table of hot targets is filled from all 64
//
// The places depend on the number of updates alone, so that all blocks, runs and ranks see
// the same. Package tuner/dispatch takes the same sample and has the same numbers.
#pragma once

#include "atomtune_hot.cuh"

namespace atomtune {

namespace sampling {

inline constexpr uint32_t warps = 64, updates = 32 * warps, counters = 8192;
inline constexpr size_t counter_bytes = counters * sizeof(uint32_t);

// warp_place is where sampled warp j stands, in warps of the stream's whole ones: j where these are
// few, else floor((j + f) whole / warps), with the fraction f of j times the golden ratio.
__host__ __device__ __forceinline__ uint64_t warp_place(uint32_t j, uint64_t whole) {
  if (whole <= warps) return j;
  const uint64_t golden = uint32_t(j * 2654435769u);
  // golden * whole / 2^32 without overflow
  const uint64_t within = golden * (whole >> 32) + ((golden * (whole & 0xffffffffu)) >> 32);
  return (j * whole + within) / warps;
}

// bit_of is the bit of a sampled warp in the counters. An odd one has that of an even one half a
// stream away.
__host__ __device__ __forceinline__ uint32_t bit_of(uint32_t warp) {
  return (warp / 2 + warp % 2 * 16) % 32;
}

inline constexpr uint32_t hash = 2246822519u;
__device__ __forceinline__ uint32_t counter_of(uint32_t target, uint32_t hash = sampling::hash) {
  return (target * hash) >> 19;
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
  feature_full,
  feature_pairs,
  feature_repeated,
  feature_used,
  feature_top,  // a maximum; the others are sums
  feature_count
};

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

__device__ __forceinline__ uint32_t or_lanes(uint32_t v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_or_sync(full_warp, v);
#else
  for (int distance = 16; distance > 0; distance /= 2) {
    v |= __shfl_xor_sync(full_warp, v, distance);
  }
  return v;
#endif
}

// bins_of is the number of 64 bins in which keys of a warp's lanes fall, by a hash: nearly that of
// different keys where these are few. Counting them takes ten times as long.
__device__ __forceinline__ uint32_t bins_of(uint32_t key) {
  uint32_t hash = key * 2246822519u;
  hash = (hash ^ hash >> 15) * 2654435769u;
  const uint32_t bit = 1u << (hash >> 27);
  const bool high = (hash >> 26 & 1) != 0;
  return __popc(or_lanes(high ? bit : 0)) + __popc(or_lanes(high ? 0 : bit));
}

// StreamSample is a thread's part of the sample, in blocks of Threads threads. One of fewer takes
// a part of it.
template <unsigned Threads>
struct StreamSample {
  static constexpr unsigned block_warps = Threads / 32;
  static constexpr unsigned each = sampling::warps / 2 / block_warps;  // even warps of a warp

  uint32_t target[2 * each];  // of the even warps, then of the odd ones; no_target where there is none
  uint32_t count[2 * each];   // warps on their counters

  // place is the number of the caller's sampled warp k.
  static __device__ __forceinline__ uint32_t place(unsigned k) {
    return (k % each * block_warps + threadIdx.x / 32) * 2 + k / each;
  }

  // load reads the targets of the caller's warps from..from+each-1.
  template <typename Index>
  __device__ __forceinline__ void load(unsigned from, Index index, size_t updates) {
    const uint64_t whole = updates / 32;
#pragma unroll
    for (unsigned k = from; k < from + each; ++k) {
      const size_t u = sampling::warp_place(place(k), whole) * 32 + threadIdx.x % 32;
      target[k] = place(k) < whole ? target_at(index, u) : no_target;
    }
  }

  // add sets the bit of warp k in the counters of its targets: one lane for all that have the first
  // lane's target, so that a hot one does not hold its counter up. It returns whether the caller's lane
  // has set a bit that was not set, and leaves in before how many were.
  __device__ __forceinline__ bool add(unsigned k, size_t updates, uint32_t* counter, uint32_t* before,
                                      uint32_t hash = sampling::hash) const {
    if (place(k) >= updates / 32) return false;
    const uint32_t first = __shfl_sync(full_warp, target[k], 0);
    if (threadIdx.x % 32 != 0 && target[k] == first) return false;
    const uint32_t bit = 1u << sampling::bit_of(place(k));
    const uint32_t had = atomicOr(counter + sampling::counter_of(target[k], hash), bit);
    *before = __popc(had);
    return (had & bit) == 0;
  }

  // look adds to of what warp k tells. A sector has 2^sector_shift targets.
  __device__ __forceinline__ void look(unsigned k, unsigned sector_shift, uint32_t* of) const {
    const uint32_t own = target[k];
    uint32_t most = 0;
#pragma unroll
    for (int from = 0; from < 32; from += 8) {
      const uint32_t same =
          __popc(__ballot_sync(full_warp, own == __shfl_sync(full_warp, own, from)));
      most = same > most ? same : most;
    }
    of[feature_distinct] += bins_of(own);
    of[feature_highest] += most;
    of[feature_runs] += 32 - __popc(__ballot_sync(full_warp, joins_left(full_warp, own)));
    of[feature_sectors] += bins_of(own >> sector_shift);
    of[feature_full] += most >= 16 ? 1 : 0;
  }

  // measure notes the even warps in the counters of their targets, and adds to sums what they tell. The
  // whole block calls it.
  __device__ __forceinline__ void measure(size_t updates, uint32_t* counter,
                                          unsigned sector_shift, uint32_t* sums) const {
    const unsigned lane = threadIdx.x % 32;
    uint32_t of[feature_count] = {};
    uint32_t pairs = 0, repeated = 0, used = 0, top = 0;
#pragma unroll
    for (unsigned k = 0; k < each; ++k) {
      if (place(k) % 4 == 0 && place(k) < updates / 32) look(k, sector_shift, of);
      uint32_t before = 0;
      if (!add(k, updates, counter, &before)) continue;
      pairs += before;
      repeated += before > 0 ? 1 : 0;
      used += before == 0 ? 1 : 0;
      top = before >= top ? before + 1 : top;
    }
    of[feature_pairs] = add_lanes(pairs);
    const uint32_t both = add_lanes(repeated << 16 | used);
    of[feature_repeated] = both >> 16;
    of[feature_used] = both & 0xffff;
    of[feature_top] = max_lanes(top);
    uint32_t mine = 0;  // each lane adds one
#pragma unroll
    for (unsigned f = known_features; f < feature_count; ++f) mine = lane == f ? of[f] : mine;
    if (lane >= known_features && lane < feature_top) atomic_add<uint32_t>(sums + lane, mine);
    if (lane == feature_top) atomicMax(sums + lane, mine);
  }

  // note sets the bits of the caller's warps from..from+each-1, and returns the greatest count after that.
  __device__ __forceinline__ uint32_t note(unsigned from, size_t updates, uint32_t* counter,
                                           uint32_t hash = sampling::hash) const {
    uint32_t top = 0;
#pragma unroll
    for (unsigned k = from; k < from + each; ++k) {
      uint32_t before = 0;
      if (add(k, updates, counter, &before, hash) && before >= top) top = before + 1;
    }
    return top;
  }

  // read reads the counts of all warps, when the whole block has noted its own. With most none is above that of
  // before.
  template <bool most = false>
  __device__ __forceinline__ void read(const uint32_t* counter, uint32_t hash = sampling::hash) {
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 2 * each; ++k) {
      const uint32_t now = __popc(counter[sampling::counter_of(target[k], hash)]);
      count[k] = most && count[k] < now ? count[k] : now;
    }
  }

  // complete notes the odd warps too, and reads all counts. The whole block calls it.
  template <typename Index>
  __device__ __forceinline__ void complete(Index index, size_t updates, uint32_t* counter) {
    load(each, index, updates);
    note(each, updates, counter);
    read(counter);
  }

  // fill_tags gives each slot of a table the target with the highest count of those that
  // hash there, the first of equal ones; counts below 2 say nothing. best has slots words.
  // The whole block calls it, and may read the tags after a barrier.
  __device__ __forceinline__ void fill_tags(uint32_t* tags, uint32_t* best,
                                            uint32_t slots) const {
    clear_tags(tags, best, slots);
    place_tags<1>(tags, best, slots, 2);
  }

  __device__ __forceinline__ void clear_tags(uint32_t* tags, uint32_t* best,
                                             uint32_t slots) const {
    for (uint32_t k = threadIdx.x; k < slots; k += blockDim.x) {
      tags[k] = no_target;
      best[k] = 0;
    }
    __syncthreads();
  }

  // place_tags fills the empty slots of a table as fill_tags does, of counts from least on. A target whose slot
  // another has tries the next ones (slot_of), so many in all.
  template <uint32_t tries>
  __device__ __forceinline__ void place_tags(uint32_t* tags, uint32_t* best, uint32_t slots,
                                             uint32_t least) const {
    const unsigned shift = hash_shift(slots);
#pragma unroll 1
    for (uint32_t tried = 0; tried < tries; ++tried) {
      bool left = false, made[2 * each];
#pragma unroll
      for (unsigned k = 0; k < 2 * each; ++k) {
        const uint32_t slot = slot_of(target[k], tried, shift);
        made[k] = offers(k, least);
        if constexpr (tries > 1) {
          const uint32_t place = find_slot(tags, target[k], shift);
          left = left || (made[k] && tags[place] != target[k]);
          made[k] = made[k] && tags[place] != target[k] && tags[slot] == no_target;
        }
        if (made[k] && offer(k) > *static_cast<volatile uint32_t*>(best + slot)) {
          atomicMax(best + slot, offer(k));
        }
      }
      if constexpr (tries > 1) {
        if (!__syncthreads_or(left)) return;
      } else {
        __syncthreads();
      }
#pragma unroll
      for (unsigned k = 0; k < 2 * each; ++k) {
        const uint32_t slot = slot_of(target[k], tried, shift);
        if (made[k] && best[slot] == offer(k)) tags[slot] = target[k];
      }
      __syncthreads();
    }
  }

 private:
  // offers reports whether target k may be in a table of counts from least on.
  __device__ __forceinline__ bool offers(unsigned k, uint32_t least) const {
    return count[k] >= least && target[k] != no_target;
  }

  // offer orders targets by count, then the earlier first.
  __device__ __forceinline__ uint32_t offer(unsigned k) const {
    return count[k] * sampling::updates +
           (sampling::updates - 1 - place(k) * 32 - threadIdx.x % 32);
  }
};

}  // namespace atomtune
