// Pieces of a row: neighbouring elements that a lane loads, adds and stores together.
//
// Values are float, __half or __nv_bfloat16, targets float or __nv_bfloat16. A sum is kept as
// float, so that only what is added to a target of 16 bits is rounded.
//
// From sm_90 on a piece is added to global memory by one vector reduction of up to 16 bytes
// (red.global.add with .v2 or .v4), which is one request where scalar atomics are several.
// Before sm_90 a piece is added element by element, those of 16 bits in pairs by a loop of
// compare-and-swap.
#pragma once

#include "atomtune_add.cuh"
#include "atomtune_widened.cuh"

namespace atomtune {

// Piece is V neighbouring elements of a row, or sums of them.
template <int V>
struct Piece {
  float element[V];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int e = 0; e < V; ++e) element[e] = 0;
  }
  __device__ __forceinline__ void add(const Piece& other) {
#pragma unroll
    for (int e = 0; e < V; ++e) element[e] += other.element[e];
  }
};

// is_short tells whether elements have 16 bits.
template <typename T>
inline constexpr bool is_short = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

// Elements of 16 bits are read and written as words, since their type may be declared only.
template <typename T>
using Element = std::conditional_t<is_short<T>, uint16_t, T>;

// Bounds are the first element of an array and the one behind its last.
template <typename E>
struct Bounds {
  const E *first, *end;
};

namespace rows {

template <typename T>
__device__ __forceinline__ float widened(uint16_t bits) {
  if constexpr (std::is_same_v<T, __half>) {
    return half_bits_to_float(bits);
  } else {
    return bfloat16_bits_to_float(bits);
  }
}

// bfloat16_bits rounds to the nearest bfloat16, of two to that with an even last bit.
__device__ __forceinline__ uint32_t bfloat16_bits(float x) {
  const uint32_t word = __float_as_uint(x);
  if ((word & 0x7fffffffu) > 0x7f800000u) return word >> 16 | 0x40u;  // stays a NaN
  return (word + 0x7fffu + (word >> 16 & 1u)) >> 16;
}

// load_words reads a piece of whole words, which lies at a multiple of its size, past the
// first cache: a row is read once.
template <int Words>
__device__ __forceinline__ void load_words(uint32_t (&word)[Words], const void* from) {
#ifdef __CUDA_ARCH__
  if constexpr (Words == 4) {
    const uint4 w = __ldcs(static_cast<const uint4*>(from));
    word[0] = w.x, word[1] = w.y, word[2] = w.z, word[3] = w.w;
  } else if constexpr (Words == 2) {
    const uint2 w = __ldcs(static_cast<const uint2*>(from));
    word[0] = w.x, word[1] = w.y;
  } else {
    word[0] = __ldcs(static_cast<const uint32_t*>(from));
  }
#else
  for (int w = 0; w < Words; ++w) word[w] = __ldg(static_cast<const uint32_t*>(from) + w);
#endif
}

// bfloat16_pair are two elements as they lie in a word, the first in its low half.
__device__ __forceinline__ uint32_t bfloat16_pair(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return bfloat16_bits(low) | bfloat16_bits(high) << 16;
#endif
}

// add_pair adds two elements of 16 bits to a word in global memory.
__device__ __forceinline__ void add_pair(uint32_t* word, uint32_t pair) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(word), "r"(pair) : "memory");
#else
  uint32_t expected = *static_cast<volatile uint32_t*>(word), old;
  do {
    old = expected;
    const float low = bfloat16_bits_to_float(uint16_t(old)) +
                      bfloat16_bits_to_float(uint16_t(pair));
    const float high = bfloat16_bits_to_float(uint16_t(old >> 16)) +
                       bfloat16_bits_to_float(uint16_t(pair >> 16));
    expected = atomicCAS(word, old, bfloat16_pair(low, high));
  } while (expected != old);
#endif
}

// add_pairs adds to neighbouring words, aligned to them all.
template <int Pairs>
__device__ __forceinline__ void add_pairs(uint32_t* word, const uint32_t (&pair)[Pairs]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (Pairs == 4) {
    asm volatile("red.global.add.noftz.v4.bf16x2 [%0], {%1, %2, %3, %4};" ::"l"(word),
                 "r"(pair[0]), "r"(pair[1]), "r"(pair[2]), "r"(pair[3])
                 : "memory");
  } else if constexpr (Pairs == 2) {
    asm volatile("red.global.add.noftz.v2.bf16x2 [%0], {%1, %2};" ::"l"(word), "r"(pair[0]),
                 "r"(pair[1])
                 : "memory");
  } else {
    add_pair(word, pair[0]);
  }
#else
#pragma unroll
  for (int p = 0; p < Pairs; ++p) add_pair(word + p, pair[p]);
#endif
}

// add_single adds to one element. Where the other half of its word is in the array too, the word
// is added to, with -0 for the other half, which changes no number; else the element alone.
__device__ __forceinline__ void add_single(uint16_t* element, float x,
                                           Bounds<uint16_t> bounds) {
  const bool high = reinterpret_cast<size_t>(element) % 4 != 0;
  uint16_t* const low = element - high;
  if (low >= bounds.first && low + 2 <= bounds.end) {
    add_pair(reinterpret_cast<uint32_t*>(low),
             high ? bfloat16_pair(-0.0f, x) : bfloat16_pair(x, -0.0f));
    return;
  }
  uint16_t expected = *static_cast<volatile uint16_t*>(element), old;
  do {
    old = expected;
    const float sum = bfloat16_bits_to_float(old) + x;
    expected = atomicCAS(element, old, uint16_t(bfloat16_bits(sum)));
  } while (expected != old);
}

}  // namespace rows

// load_piece reads V neighbouring values, aligned to V of them, as float.
template <int V, typename S>
__device__ __forceinline__ Piece<V> load_piece(const Element<S>* values) {
  Piece<V> piece;
  if constexpr (!is_short<S>) {
    uint32_t word[V];
    rows::load_words<V>(word, values);
#pragma unroll
    for (int e = 0; e < V; ++e) piece.element[e] = __uint_as_float(word[e]);
  } else if constexpr (V == 1) {
    piece.element[0] = rows::widened<S>(__ldg(values));
  } else {
    uint32_t word[V / 2];
    rows::load_words<V / 2>(word, values);
#pragma unroll
    for (int w = 0; w < V / 2; ++w) {
      piece.element[2 * w] = rows::widened<S>(uint16_t(word[w]));
      piece.element[2 * w + 1] = rows::widened<S>(uint16_t(word[w] >> 16));
    }
  }
  return piece;
}

// add_piece adds a piece of at most 16 bytes to float targets in global memory, aligned to it.
template <int V>
__device__ __forceinline__ void add_piece(float* target, const Piece<V>& piece,
                                          Bounds<float>) {
  static_assert(V <= 4, "16 bytes");
  const float* const x = piece.element;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (V == 4) {
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(target), "f"(x[0]),
                 "f"(x[1]), "f"(x[2]), "f"(x[3])
                 : "memory");
  } else if constexpr (V == 2) {
    asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(target), "f"(x[0]), "f"(x[1])
                 : "memory");
  } else {
    atomic_add<float>(target, x[0]);
  }
#else
#pragma unroll
  for (int e = 0; e < V; ++e) atomic_add<float>(target + e, x[e]);
#endif
}

// add_piece adds to __nv_bfloat16 targets, given as words of 16 bits, of an array with bounds.
template <int V>
__device__ __forceinline__ void add_piece(uint16_t* target, const Piece<V>& piece,
                                          Bounds<uint16_t> bounds) {
  static_assert(V <= 8, "16 bytes");
  const float* const x = piece.element;
  if constexpr (V == 1) {
    rows::add_single(target, x[0], bounds);
  } else {
    uint32_t pair[V / 2];
#pragma unroll
    for (int p = 0; p < V / 2; ++p) pair[p] = rows::bfloat16_pair(x[2 * p], x[2 * p + 1]);
    rows::add_pairs<V / 2>(reinterpret_cast<uint32_t*>(target), pair);
  }
}

// add_to_sums adds a piece to sums in shared memory that no other thread changes meanwhile.
// They are aligned to the piece or to 16 bytes of it.
template <int V>
__device__ __forceinline__ void add_to_sums(float* sums, const Piece<V>& piece) {
  const float* const x = piece.element;
#ifdef __CUDA_ARCH__
  constexpr int wide = V / 4 * 4;
#pragma unroll
  for (int e = 0; e < wide; e += 4) {
    float4 sum = *reinterpret_cast<float4*>(sums + e);
    sum.x += x[e], sum.y += x[e + 1], sum.z += x[e + 2], sum.w += x[e + 3];
    *reinterpret_cast<float4*>(sums + e) = sum;
  }
#else
  constexpr int wide = 0;
#endif
#pragma unroll
  for (int e = wide; e < V; ++e) sums[e] += x[e];
}

}  // namespace atomtune
