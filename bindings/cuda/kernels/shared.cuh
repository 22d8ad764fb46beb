// Shared memory of a block, and loads and stores of it that are not left out.
#pragma once

#include "operations.cuh"
#include "timing.cuh"

extern __shared__ __align__(16) unsigned char shared_bytes[];

// clear_shared sets words to zero and returns them to the whole block.
template <typename T>
__device__ __forceinline__ T* clear_shared(uint32_t words) {
  T* const shared = reinterpret_cast<T*>(shared_bytes);
  for (uint32_t k = threadIdx.x; k < words; k += blockDim.x) shared[k] = T(0);
  __syncthreads();
  return shared;
}

__device__ __forceinline__ uint32_t load_word(uint32_t* p) {
  uint32_t v;
  asm volatile("ld.volatile.shared.u32 %0, [%1];"
               : "=r"(v) : "r"(uint32_t(__cvta_generic_to_shared(p))) : "memory");
  return v;
}
__device__ __forceinline__ u64 load_word(u64* p) {
  u64 v;
  asm volatile("ld.volatile.shared.u64 %0, [%1];"
               : "=l"(v) : "r"(uint32_t(__cvta_generic_to_shared(p))) : "memory");
  return v + (v << 32);  // both halves matter, or only one would be loaded
}

struct Load {
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T) { return load_word(p); }
};

struct Store {  // returns the value
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v) {
    *static_cast<volatile T*>(p) = v;
    return v;
  }
};

struct StoreLoad {  // a store returns nothing, so the word is loaded again
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v) {
    *static_cast<volatile T*>(p) = v;
    return load_word(p);
  }
};
