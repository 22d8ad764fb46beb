// The operations that are measured, on shared or global memory. Each returns what
// the word held before.
#pragma once

#include <cstdint>

using u64 = unsigned long long;

// sign_of is the top bit of a value, which is 0 here; the compiler does not know,
// so that an address to which it is added waits for the value.
__device__ __forceinline__ uint32_t sign_of(uint32_t v) { return v >> 31; }
__device__ __forceinline__ uint32_t sign_of(int32_t v) { return uint32_t(v) >> 31; }
__device__ __forceinline__ uint32_t sign_of(float v) { return __float_as_uint(v) >> 31; }
__device__ __forceinline__ uint32_t sign_of(u64 v) { return uint32_t(v >> 63); }
__device__ __forceinline__ uint32_t sign_of(long long v) { return sign_of(u64(v)); }
__device__ __forceinline__ uint32_t sign_of(double v) {
  return uint32_t(__double2hiint(v)) >> 31;
}

struct Add {
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v) { return atomicAdd(p, v); }
  static __device__ __forceinline__ long long apply(long long* p, long long v) {
    return atomicAdd(reinterpret_cast<u64*>(p), u64(v));
  }
};

// AddOne adds a constant: where the result is not used, compilers have an
// instruction of its own for it.
struct AddOne {
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T) { return atomicAdd(p, T(1)); }
};

struct Min {
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v) { return atomicMin(p, v); }
};

struct Exch {
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v) { return atomicExch(p, v); }
};

struct Cas {  // one exchange, of a value for itself
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v) { return atomicCAS(p, v, v); }
};
