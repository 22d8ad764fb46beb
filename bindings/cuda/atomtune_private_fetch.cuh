// Old values with private copies and with hot targets, in two passes over a block's
// updates. The first adds them in shared memory. Then each counter's sum goes to its
// target by one atomic that returns what the target held, and the counter takes that
// value. The second pass adds the same updates again, and what each finds in its counter
// is its old value.
//
// The old values are those of one serial order of all updates, in which a block's updates
// of one target follow each other: places of a queue, a compaction or a counting sort are
// distinct and without gaps. Sums are those of one pass. A sum of zero, of signed values
// or of one that wraps, reads its target in place of an atomic.
//
// Floats. The sum of the first pass and the values that the second adds to what the target
// held are rounded in different orders. So, as with the reductions of atomtune_fetch.cuh,
// the chain "old + v is the next old" holds within the bound of atomtune.cuh only, and
// exactly where that bound is zero.
#pragma once

#include "atomtune_hot.cuh"

namespace atomtune {

// place_counter adds the sum of a counter's copies to its target, and returns what that
// held. sums is the first copy.
template <typename T>
__device__ __forceinline__ T place_counter(const Copies& copies, const T* sums,
                                           T* target) {
  T sum = T(0);
  for (uint32_t c = 0; c < copies.number; ++c) {
    sum = plus(sum, sums[c * uint32_t(copies.stride())]);
  }
  return sum != T(0) ? atomic_add<T>(target, sum) : *static_cast<volatile T*>(target);
}

// place_counters adds each counter's sum to its target, and leaves in each copy what the
// target held before that copy's first update. target_of(k) is the target of counter k,
// no_target for none. A thread waits for the targets of four counters at a time. The whole
// block calls it, once its threads have added, and its threads may fetch as soon as it
// returns.
template <typename T, typename TargetOf>
__device__ __forceinline__ void place_counters(T* A, const Copies& copies, T* shared,
                                               TargetOf target_of) {
  constexpr unsigned together = 4;
  __syncthreads();
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const uint32_t apart = uint32_t(copies.stride());
  // All lanes of a warp turn equally often: where one did not, ptxas of CUDA 13.0 has the warp share
  // registers behind the loop though its lanes come to them one after the other.
  const uint32_t lane = thread_rank() % 32;
  for (uint32_t base = thread_rank(); base - lane < copies.bins; base += together * threads) {
    T next[together];
#pragma unroll
    for (unsigned i = 0; i < together; ++i) {
      const uint32_t k = base + i * threads;
      const uint32_t target = k < copies.bins ? target_of(k) : no_target;
      next[i] = T(0);
      if (target != no_target) next[i] = place_counter(copies, shared + k, A + target);
    }
#pragma unroll
    for (unsigned i = 0; i < together; ++i) {
      const uint32_t k = base + i * threads;
      if (k >= copies.bins) break;
      for (uint32_t c = 0; c < copies.number; ++c) {
        const T own = shared[c * apart + k];
        shared[c * apart + k] = next[i];
        next[i] = plus(next[i], own);
      }
    }
  }
  __syncthreads();
}

// private_fetch_update is private_update that writes what update u found to old[u].
template <int Unroll = 1, typename T, typename Index, typename Values>
__device__ __forceinline__ void private_fetch_update(T* A, Index index, Values values,
                                                     T* old, size_t updates, Copies copies,
                                                     T* shared) {
  copies.clear(shared);
  T* const mine = copies.mine(shared);
  for_each_update<Unroll>(whole_grid(), index, values, updates,
                          AddToArray<Naive, T, Index>{{mine}});
  place_counters(A, copies, shared, [](uint32_t k) { return k; });
  for_each_update<Unroll>(whole_grid(), index, values, updates,
                          FetchTo<Naive, T, is_checked<Index>>{mine, old});
}

// CountHits adds the hits to the caller's copies, and leaves out the misses.
template <typename T>
struct CountHits {
  HotTarget<T> hot;

  static constexpr bool takes_all = false;
  __device__ __forceinline__ bool takes(uint32_t i) const {
    return hot.tags[hot_slot(i, hot.shift)] == i;
  }

  template <typename V>
  __device__ __forceinline__ void add(size_t, uint32_t i, V v, unsigned, unsigned) const {
    if (takes(i)) atomic_add<T>(hot.mine + hot_slot(i, hot.shift), v);
  }
};

// FetchHot adds hits to the caller's copies and misses to their targets, and writes what
// update u found to old[u].
template <typename T, bool Checked = false>
struct FetchHot {
  HotTarget<T> hot;
  T* old;

  static constexpr bool takes_all = true;

  template <typename V>
  __device__ __forceinline__ void add(size_t u, uint32_t i, V v, unsigned,
                                      unsigned) const {
    if (Checked && i == no_target) return;
    const uint32_t slot = hot_slot(i, hot.shift);
    if (hot.tags[slot] == i) {
      old[u] = atomic_add<T>(hot.mine + slot, v);
      keep_apart();
    } else {
      old[u] = atomic_add<T>(hot.A + i, v);
    }
  }
};

// hot_fetch_update_tagged is hot_fetch_update once the tags and the cleared sums are in
// shared memory.
template <int Unroll = 1, typename T, typename Index, typename Values>
__device__ __forceinline__ void hot_fetch_update_tagged(T* A, Index index, Values values,
                                                        T* old, size_t updates,
                                                        const HotTable& table,
                                                        const uint32_t* tags, T* sums) {
  const HotTarget<T> hot{tags, table.sums().mine(sums), A, hash_shift(table.slots)};
  for_each_update<Unroll>(whole_grid(), index, values, updates, CountHits<T>{hot});
  place_counters(A, table.sums(), sums, [=](uint32_t k) { return tags[k]; });
  for_each_update<Unroll>(whole_grid(), index, values, updates,
                          FetchHot<T, is_checked<Index>>{hot, old});
}

// hot_fetch_update is hot_update that writes what update u found to old[u]. Misses are
// added in the second pass, and the first reads no value of theirs.
template <int Unroll = 1, typename T, typename Index, typename Values>
__device__ __forceinline__ void hot_fetch_update(T* A, Index index, Values values, T* old,
                                                 size_t updates, HotTable table,
                                                 void* shared) {
  uint32_t* const tags = static_cast<uint32_t*>(shared);
  T* const sums = reinterpret_cast<T*>(tags + table.slots);
  load_hot(table, tags, sums);
  hot_fetch_update_tagged<Unroll>(A, index, values, old, updates, table, tags, sums);
}

}  // namespace atomtune
