// Whole kernels, to be launched with <<<blocks, threads, shared bytes>>>:
//
//   update_global<Form>         updates A directly
//   update_private<Form>        copies in shared memory, copies.words() * sizeof(T) bytes
//   update_threadprivate, then sum_threadprivate
//                               counters per thread, bins * threads * sizeof(T) bytes
//
// Form is Naive, ScanReduce, VoteReduce, Peers or Match; values is Loaded<T>{pointer}
// or Ones{}. All of them add to A. atomtune.cuh says which grids suit. More than 48 KiB
// of shared memory must be allowed with cudaFuncSetAttribute first.
#pragma once

#include "atomtune.cuh"

namespace atomtune {

extern __shared__ __align__(16) unsigned char dynamic_shared[];

template <typename Form, typename T, typename Values>
__global__ void update_global(T* A, const uint32_t* __restrict__ index, Values values,
                              size_t updates) {
  global_update<Form>(A, index, values, updates);
}

// fetch_update_global writes what update u found to old[u].
template <typename Form, typename T, typename Values>
__global__ void fetch_update_global(T* A, const uint32_t* __restrict__ index,
                                    Values values, T* old, size_t updates) {
  global_fetch_update<Form>(A, index, values, old, updates);
}

template <typename Form, typename T, typename Values>
__global__ void update_private(T* A, const uint32_t* __restrict__ index, Values values,
                               size_t updates, Copies copies) {
  private_update<Form>(A, index, values, updates, copies,
                       reinterpret_cast<T*>(dynamic_shared));
}

// update_threadprivate writes partial[target][block], bins * gridDim.x sums.
template <typename T, typename Values>
__global__ void update_threadprivate(T* partial, const uint32_t* __restrict__ index,
                                     Values values, size_t updates, uint32_t bins) {
  threadprivate_update(partial, index, values, updates, bins,
                       reinterpret_cast<T*>(dynamic_shared));
}

// sum_threadprivate adds the partial sums of blocks blocks, with a warp per target.
template <typename T>
__global__ void sum_threadprivate(T* A, const T* __restrict__ partial, uint32_t bins,
                                  uint32_t blocks) {
  sum_partials(A, partial, bins, blocks);
}

}  // namespace atomtune
