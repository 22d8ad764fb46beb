// Private copies of the targets in shared memory: one or several per block, updated
// by atomics, or one per thread, updated without.
//
// A kernel of its own needs five lines:
//
//   extern __shared__ uint32_t shared[];            // copies.words() of them
//   copies.clear(shared);
//   uint32_t* const mine = copies.mine(shared);
//   for (...) atomicAdd(&mine[index[u]], 1);        // or any form of atomtune.cuh
//   copies.flush(A, shared);
#pragma once

#include "atomtune_stream.cuh"

namespace atomtune {

// Copies says how private copies of the targets lie in shared memory.
struct Copies {
  uint32_t bins;
  uint32_t number;
  uint32_t pad;   // words between copies
  bool by_block;  // consecutive threads share a copy; otherwise they differ

  __host__ __device__ size_t stride() const { return size_t(bins) + pad; }

  // words is the shared memory of a block, in words of the targets' type.
  __host__ __device__ size_t words() const { return number * stride(); }

  // copy_of maps a thread of a block to its copy: thread mod number, or in equal
  // shares of consecutive threads, [gomezluna13] (1) and (2).
  __host__ __device__ uint32_t copy_of(unsigned thread, unsigned threads) const {
    return by_block ? thread * number / threads : thread % number;
  }

  // mine is the caller's copy.
  template <typename T>
  __device__ __forceinline__ T* mine(T* shared) const {
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    return shared + copy_of(thread_rank(), threads) * uint32_t(stride());
  }

  // clear sets all copies to zero. The whole block calls it, and its threads may
  // add as soon as it returns.
  template <typename T>
  __device__ __forceinline__ void clear(T* shared) const {
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    const uint32_t all = uint32_t(words());
    for (uint32_t k = thread_rank(); k < all; k += threads) shared[k] = T(0);
    __syncthreads();
  }

  // flush adds the sum of the copies to the targets A by atomics. The whole block
  // calls it, once its threads have added.
  template <typename T>
  __device__ __forceinline__ void flush(T* A, const T* shared) const {
    __syncthreads();
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    const uint32_t apart = uint32_t(stride());
    for (uint32_t k = thread_rank(); k < bins; k += threads) {
      T sum = T(0);
      for (uint32_t c = 0; c < number; ++c) sum = plus(sum, shared[c * apart + k]);
      if (sum != T(0)) atomic_add<T>(A + k, sum);
    }
  }
};

// private_update applies every update to the block's own copies of the targets and
// adds their sums to A at the end [gomezluna13], with Unroll updates in flight per
// thread. shared has copies.words() words. Each block clears and flushes once, so
// launch no more blocks than the device holds at once.
template <typename Form, int Unroll = 1, typename T, typename Index, typename Values>
__device__ __forceinline__ void private_update(T* A, Index index, Values values,
                                               size_t updates, Copies copies, T* shared) {
  copies.clear(shared);
  for_each_update<Unroll>(whole_grid(), index, values, updates,
                          AddToArray<Form, T, Index>{{copies.mine(shared)}});
  copies.flush(A, shared);
}

template <typename T>
__device__ __forceinline__ T sum_warp(T v) {
  for (int distance = 16; distance > 0; distance /= 2) {
    v = plus(v, __shfl_xor_sync(full_warp, v, distance));
  }
  return v;
}

// as_number is the value as a T, 1 for One.
template <typename T, typename V>
__device__ __forceinline__ T as_number(V v) {
  if constexpr (is_one<V>) {
    return T(1);
  } else {
    return T(v);
  }
}

// CountOwn adds to the calling thread's counters, [target][thread]. Where the index is
// Checked, no_target is not counted.
template <typename T, bool Checked = false>
struct CountOwn {
  T* counters;

  static constexpr bool takes_all = true;

  template <typename V>
  __device__ __forceinline__ void add(size_t, uint32_t i, V v, unsigned, unsigned) const {
    if (Checked && i == no_target) return;
    T& counter = counters[i * blockDim.x + threadIdx.x];
    counter = plus(counter, as_number<T>(v));
  }
};

// sum_own calls body(target, sum) on one thread for each target, with the block's sum.
template <typename T, typename Body>
__device__ __forceinline__ void sum_own(uint32_t bins, const T* counters, Body body) {
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  for (uint32_t k = threadIdx.x / 32; k < bins; k += blockDim.x / 32) {
    T sum = T(0);
    for (unsigned t = lane; t < blockDim.x; t += 32) {
      sum = plus(sum, counters[k * blockDim.x + t]);
    }
    sum = sum_warp(sum);
    if (lane == 0) body(k, sum);
  }
}

// count_own counts every update of the stream in counters of the threads' own.
template <int Unroll, typename T, typename Index, typename Values>
__device__ __forceinline__ void count_own(Index index, Values values, size_t updates,
                                          uint32_t bins, T* shared) {
  for (uint32_t k = threadIdx.x; k < bins * blockDim.x; k += blockDim.x) {
    shared[k] = T(0);
  }
  __syncthreads();
  for_each_update<Unroll>(whole_grid(), index, values, updates,
                          CountOwn<T, is_checked<Index>>{shared});
}

// threadprivate_update counts without atomics: each thread owns a counter for each
// target, [target][thread] in shared memory of bins * blockDim.x words. Each block
// writes its sums to partial[target][block]; sum_partials adds them to the targets.
// Blocks are one-dimensional with whole warps.
template <int Unroll = 1, typename T, typename Index, typename Values>
__device__ __forceinline__ void threadprivate_update(T* partial, Index index, Values values,
                                                     size_t updates, uint32_t bins,
                                                     T* shared) {
  count_own<Unroll>(index, values, updates, bins, shared);
  sum_own(bins, shared, [=](uint32_t k, T sum) {
    partial[size_t(k) * gridDim.x + blockIdx.x] = sum;
  });
}

// threadprivate_add is threadprivate_update that adds each block's sums to the targets A by
// atomics.
template <int Unroll = 1, typename T, typename Index, typename Values>
__device__ __forceinline__ void threadprivate_add(T* A, Index index, Values values,
                                                  size_t updates, uint32_t bins, T* shared) {
  count_own<Unroll>(index, values, updates, bins, shared);
  sum_own(bins, shared, [=](uint32_t k, T sum) {
    if (sum != T(0)) atomic_add<T>(A + k, sum);
  });
}

// sum_partials adds each target's sum over all blocks to A, one warp per target:
// the grid has at least bins warps, in one-dimensional blocks of whole warps.
template <typename T>
__device__ __forceinline__ void sum_partials(T* A, const T* __restrict__ partial,
                                             uint32_t bins, uint32_t blocks) {
  const uint32_t k = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (k >= bins) return;
  T sum = T(0);
  for (uint32_t b = threadIdx.x % 32; b < blocks; b += 32) {
    sum = plus(sum, partial[size_t(k) * blocks + b]);
  }
  sum = sum_warp(sum);
  if (threadIdx.x % 32 == 0) A[k] = plus(A[k], sum);
}

}  // namespace atomtune
