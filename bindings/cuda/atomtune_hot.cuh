// Frequent targets in shared memory: each block holds the tags of a direct-mapped table
// and copies of a sum per slot. An update whose target is in its slot, a hit, adds to
// a copy; any other, a miss, adds to its target directly. With a form the warp reduces
// first, over hits and misses alike. It pays on skewed streams over more targets than
// shared memory holds copies of.
//
// Which target is in which slot is known before (fill_hot_tags) or found on the
// device by a sample of the indices (sample_hot), both in atomtune_hot_tags.cuh. A wrong
// table costs time and changes no sum. Old values take a second pass over the updates:
// atomtune_private_fetch.cuh.
#pragma once

#include "atomtune_private.cuh"

namespace atomtune {

// hot_slot is the only slot where a target can stand: the high bits of a multiplicative
// hash, for a table of 2^(32 - shift) slots.
__host__ __device__ __forceinline__ uint32_t hot_slot(uint32_t target, unsigned shift) {
  return (target * 2654435761u) >> shift;
}

// hash_shift is 32 less the logarithm of a power of two from 2 to 2^31.
__device__ __forceinline__ unsigned hash_shift(uint32_t power) {
  return static_cast<unsigned>(__clz(static_cast<int>(power))) + 1;
}

// slot_of is where a row may stand, at first or after so many slots that others have: of few slots, two
// frequent rows often want one, and a single row that is left out holds all others up.
inline constexpr uint32_t most_slots_tried = 4;
__device__ __forceinline__ uint32_t slot_of(uint32_t row, uint32_t tried, unsigned shift) {
  return hot_slot(tried == 0 ? row : row * 2246822519u + tried, shift);
}

// find_slot is the slot that has the row, or one that has not.
__device__ __forceinline__ uint32_t find_slot(const uint32_t* tags, uint32_t row, unsigned shift) {
  uint32_t slot = slot_of(row, 0, shift);
  for (uint32_t tried = 1; tried < most_slots_tried; ++tried) {
    if (tags[slot] == row || tags[slot] == no_target) break;
    slot = slot_of(row, tried, shift);
  }
  return slot;
}

// HotTable says how the table lies. In a block's shared memory the tags come first, then
// the copies, a word apart where there are several.
struct HotTable {
  uint32_t slots;        // a power of two, 16 to 65536
  uint32_t copies;       // thread mod copies is a thread's copy
  const uint32_t* tags;  // slots of them in global memory

  __host__ __device__ Copies sums() const {
    return {slots, copies, copies > 1 ? 1u : 0u, false};
  }

  // bytes is the shared memory of a block for targets of type T, aligned to 8.
  template <typename T>
  __host__ __device__ size_t bytes() const {
    return sizeof(uint32_t) * slots + sizeof(T) * sums().words();
  }
};

// keep_apart ends a branch that must not be merged with another. Compilers make one atomic
// with a selected address of two, of which they no longer know whether it is in shared or
// in global memory.
__device__ __forceinline__ void keep_apart() { asm volatile(""); }

// HotTarget is the destination of a block's updates: a copy for hits, A for misses. Where
// the index is Checked, an update of no_target is not made: at most it goes to the copies
// of an empty slot, of which nothing becomes.
template <typename T, bool Checked = false>
struct HotTarget {
  using Sum = T;
  const uint32_t* tags;  // in shared memory
  T* mine;               // the caller's copy
  T* A;
  unsigned shift;

  template <typename V>
  __device__ __forceinline__ void add(uint32_t i, V v) const {
    const uint32_t slot = hot_slot(i, shift);
    if (tags[slot] == i) {
      atomic_add<T>(mine + slot, v);
      keep_apart();
    } else if (!Checked || i != no_target) {
      atomic_add<T>(A + i, v);
    }
  }
};

// load_hot reads the tags and clears the copies. The whole block calls it, and its
// threads may add as soon as it returns.
template <typename T>
__device__ __forceinline__ void load_hot(const HotTable& table, uint32_t* tags, T* sums) {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  for (uint32_t k = thread_rank(); k < table.slots; k += threads) {
    tags[k] = __ldg(table.tags + k);
  }
  table.sums().clear(sums);
}

// flush_hot adds the sum of each filled slot's copies to its target by an atomic. The
// whole block calls it, once its threads have added.
template <typename T>
__device__ __forceinline__ void flush_hot(T* A, const HotTable& table,
                                          const uint32_t* tags, const T* sums) {
  __syncthreads();
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const uint32_t apart = uint32_t(table.sums().stride());
  for (uint32_t k = thread_rank(); k < table.slots; k += threads) {
    if (tags[k] == no_target) continue;
    T sum = T(0);
    for (uint32_t c = 0; c < table.copies; ++c) sum = plus(sum, sums[c * apart + k]);
    if (sum != T(0)) atomic_add<T>(A + tags[k], sum);
  }
}

// hot_target is the caller's destination.
template <typename Index, typename T>
__device__ __forceinline__ HotTarget<T, is_checked<Index>> hot_target(T* A, const HotTable& table,
                                                                      const uint32_t* tags,
                                                                      T* sums) {
  return {tags, table.sums().mine(sums), A, hash_shift(table.slots)};
}

// hot_update applies every update: A[index[u]] += values[u]. shared has
// table.bytes<T>() bytes. Targets are below 2^32 - 1. Each block loads, clears and
// flushes once, so launch no more blocks than the device holds at once.
template <typename Form, int Unroll = 1, typename T, typename Index, typename Values>
__device__ __forceinline__ void hot_update(T* A, Index index, Values values,
                                           size_t updates, HotTable table, void* shared) {
  uint32_t* const tags = static_cast<uint32_t*>(shared);
  T* const sums = reinterpret_cast<T*>(tags + table.slots);
  load_hot(table, tags, sums);
  using Target = HotTarget<T, is_checked<Index>>;
  for_each_update<Unroll>(whole_grid(), index, values, updates,
                          AddTo<Form, Target>{hot_target<Index>(A, table, tags, sums)});
  flush_hot(A, table, tags, sums);
}

}  // namespace atomtune
