// Values of 16 bits, __half or __nv_bfloat16, that are added as float: where a kernel takes
// Loaded<float>{values}, Widened<__half>{values} reads half of the bytes.
//
// Every number of 16 bits is a float, so nothing is rounded, subnormals included, whatever
// the options of nvcc; infinities stay and a NaN becomes a NaN. cuda_fp16.h and cuda_bf16.h
// are not needed here.
#pragma once

#include <cstddef>

#include "atomtune_float.cuh"
#include "atomtune_stream.cuh"

struct __half;
struct __nv_bfloat16;

namespace atomtune {

// half_bits_to_float is the number whose IEEE 754 binary16 bits these are.
__device__ __forceinline__ float half_bits_to_float(uint16_t bits) {
#ifdef __CUDA_ARCH__
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(bits));
  return result;
#else
  // The field of the exponent moves from bit 10 to bit 23 and its bias from 15 to 127.
  const unsigned sign = unsigned(bits & 0x8000u) << 16, size = bits & 0x7fffu;
  if (size >= 0x7c00u) return real_of(sign | 0x7f800000u | (size & 0x3ffu) << 13);
  if (size >= 0x0400u) return real_of(sign | ((size << 13) + (112u << 23)));
  if (size == 0) return real_of(sign);
  const unsigned up = unsigned(__clz(int(size))) - 21;  // to the place of the hidden bit
  return real_of(sign | ((size << up << 13) + ((112u - up) << 23)));
#endif
}

// bfloat16_bits_to_float is the number whose bfloat16 bits these are: a float's high half.
__device__ __forceinline__ float bfloat16_bits_to_float(uint16_t bits) {
  return real_of(unsigned(bits) << 16);
}

// Widened reads each update's value from memory as a float. V is __half or __nv_bfloat16.
template <typename V>
struct Widened {
  static_assert(std::is_same_v<V, __half> || std::is_same_v<V, __nv_bfloat16>,
                "__half or __nv_bfloat16");
  const V* values;

  __device__ __forceinline__ float operator[](size_t u) const {
    return number(__ldg(reinterpret_cast<const uint16_t*>(values) + u));
  }
  static __device__ __forceinline__ float number(uint16_t bits) {
    if constexpr (std::is_same_v<V, __half>) {
      return half_bits_to_float(bits);
    } else {
      return bfloat16_bits_to_float(bits);
    }
  }
};

// InMemory are values in memory: their elements and how one is read from the words of several.
// Values that are computed are read one by one.
template <typename Values>
struct InMemory {
  static constexpr int bytes = 0;
};
template <typename S>
struct InMemory<Loaded<S>> {
  static constexpr int bytes = sizeof(S);
  static __host__ __device__ __forceinline__ const S* elements(Loaded<S> v) { return v.values; }
  static __device__ __forceinline__ S number(const uint32_t* word, int e) {
    if constexpr (sizeof(S) == 8) {
      const unsigned long long wide = word[2 * e] | static_cast<unsigned long long>(word[2 * e + 1]) << 32;
      if constexpr (std::is_integral_v<S>) return S(wide);
      else return real_of(wide);
    } else {
      if constexpr (std::is_integral_v<S>) return S(word[e]);
      else return real_of(word[e]);
    }
  }
};
template <typename S>
struct InMemory<Widened<S>> {
  static constexpr int bytes = 2;
  static __host__ __device__ __forceinline__ const uint16_t* elements(Widened<S> v) {
    return reinterpret_cast<const uint16_t*>(v.values);
  }
  static __device__ __forceinline__ float number(const uint32_t* word, int e) {
    return Widened<S>::number(uint16_t(word[e / 2] >> (e % 2 * 16)));
  }
};

}  // namespace atomtune
