// Additions by a loop of compare-and-swap. Lanes that take no part stay with the warp:
// they read the word with the first load and are masked from then on.
#pragma once

#include "operations.cuh"

// Bits of the types that a loop adds in.
__device__ __forceinline__ uint32_t add_bits(uint32_t bits, uint32_t v) { return bits + v; }
__device__ __forceinline__ uint32_t add_bits(uint32_t bits, float v) {
  return __float_as_uint(__uint_as_float(bits) + v);
}
__device__ __forceinline__ u64 add_bits(u64 bits, double v) {
  return __double_as_longlong(__longlong_as_double(bits) + v);
}
__device__ __forceinline__ void from_bits(uint32_t bits, uint32_t* v) { *v = bits; }
__device__ __forceinline__ void from_bits(uint32_t bits, float* v) { *v = __uint_as_float(bits); }
__device__ __forceinline__ void from_bits(u64 bits, double* v) { *v = __longlong_as_double(bits); }

template <typename T>
struct BitsOf { using type = uint32_t; };
template <>
struct BitsOf<double> { using type = u64; };

// CasLoop brings the warp together in each turn.
struct CasLoop {
  template <typename T>
  static __device__ __forceinline__ T apply(T* p, T v, bool active = true) {
    using Bits = typename BitsOf<T>::type;
    Bits* const word = reinterpret_cast<Bits*>(p);
    Bits old = *static_cast<volatile Bits*>(word), assumed = 0;
    bool pending = active;
    while (__any_sync(0xffffffff, pending)) {
      if (pending) {
        assumed = old;
        old = atomicCAS(word, assumed, add_bits(assumed, v));
        pending = old != assumed;
      }
      __syncwarp();
    }
    T result;
    from_bits(old, &result);
    return result;
  }
};
