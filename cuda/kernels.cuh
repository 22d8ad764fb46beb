// The timed kernels that update by atomics or by thread-private counters.
#pragma once

#include <cstdint>

#include "forms.cuh"

// update_global applies every update to the global targets A.
template <typename Form, typename T, typename Values>
__global__ void update_global(T* A, const uint32_t* __restrict__ index, Values values,
                              size_t updates) {
  for_each_update(updates, [&](size_t u, unsigned mask, unsigned draw) {
    Form::add(A, __ldg(index + u), values[u], mask, draw);
  });
}

// Copies says how the private copies of the targets lie in shared memory.
struct Copies {
  uint32_t bins;
  uint32_t number;
  uint32_t pad;    // words between copies
  bool by_block;   // consecutive threads share a copy; otherwise they differ

  __host__ __device__ size_t stride() const { return size_t(bins) + pad; }
  __host__ __device__ size_t words() const { return number * stride(); }

  // copy_of maps a thread to its copy: [gomezluna13] (1) and (2).
  __device__ uint32_t copy_of(unsigned thread, unsigned threads) const {
    return by_block ? thread / (threads / number) : thread % number;
  }
};

extern __shared__ __align__(16) unsigned char shared_bytes[];

// update_private gives each block its own copies of the targets in shared memory
// and adds their sums to the global targets at the end [gomezluna13].
template <typename Form, typename T, typename Values>
__global__ void update_private(T* A, const uint32_t* __restrict__ index, Values values,
                               size_t updates, Copies copies) {
  T* const shared = reinterpret_cast<T*>(shared_bytes);
  const uint32_t words = uint32_t(copies.words());
  const uint32_t stride = uint32_t(copies.stride());
  for (uint32_t k = threadIdx.x; k < words; k += blockDim.x) shared[k] = T(0);
  __syncthreads();

  T* const mine = shared + copies.copy_of(threadIdx.x, blockDim.x) * stride;
  for_each_update(updates, [&](size_t u, unsigned mask, unsigned draw) {
    Form::add(mine, __ldg(index + u), values[u], mask, draw);
  });
  __syncthreads();

  for (uint32_t k = threadIdx.x; k < copies.bins; k += blockDim.x) {
    T sum = T(0);
    for (uint32_t c = 0; c < copies.number; ++c) sum += shared[c * stride + k];
    if (sum != T(0)) atomtune::atomic_add<T>(A + k, sum);
  }
}

template <typename T>
__device__ __forceinline__ T sum_warp(T v) {
  for (int distance = 16; distance > 0; distance /= 2) {
    v += __shfl_xor_sync(atomtune::full_warp, v, distance);
  }
  return v;
}

template <typename T>
__device__ __forceinline__ T as_number(T v) {
  return v;
}
template <typename T>
__device__ __forceinline__ T as_number(atomtune::One) {
  return T(1);
}

// update_threadprivate counts without atomics: each thread owns a counter for each
// target, [target][thread] in shared memory. Each block writes its sums to
// partial[target][block].
template <typename T, typename Values>
__global__ void update_threadprivate(T* partial, const uint32_t* __restrict__ index,
                                     Values values, size_t updates, uint32_t bins) {
  T* const counter = reinterpret_cast<T*>(shared_bytes);
  for (uint32_t k = threadIdx.x; k < bins * blockDim.x; k += blockDim.x) {
    counter[k] = T(0);
  }
  __syncthreads();
  for_each_update(updates, [&](size_t u, unsigned, unsigned) {
    const uint32_t i = __ldg(index + u);
    counter[i * blockDim.x + threadIdx.x] += as_number<T>(values[u]);
  });
  __syncthreads();

  const unsigned lane = threadIdx.x % 32;
  for (uint32_t k = threadIdx.x / 32; k < bins; k += blockDim.x / 32) {
    T sum = T(0);
    for (unsigned t = lane; t < blockDim.x; t += 32) sum += counter[k * blockDim.x + t];
    sum = sum_warp(sum);
    if (lane == 0) partial[size_t(k) * gridDim.x + blockIdx.x] = sum;
  }
}

// sum_partials writes each target's sum over all blocks, one warp per target.
template <typename T>
__global__ void sum_partials(T* A, const T* __restrict__ partial, uint32_t bins,
                             uint32_t blocks) {
  const uint32_t k = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (k >= bins) return;
  T sum = T(0);
  for (uint32_t b = threadIdx.x % 32; b < blocks; b += 32) {
    sum += partial[size_t(k) * blocks + b];
  }
  sum = sum_warp(sum);
  if (threadIdx.x % 32 == 0) A[k] = sum;
}

// store_sums writes each run's sum to its target; runs are distinct targets.
template <typename T, typename S>
__global__ void store_sums(T* A, const uint32_t* __restrict__ target,
                           const S* __restrict__ sum, const uint32_t* runs) {
  for (uint32_t r = blockIdx.x * blockDim.x + threadIdx.x; r < *runs;
       r += gridDim.x * blockDim.x) {
    A[target[r]] = T(sum[r]);
  }
}
