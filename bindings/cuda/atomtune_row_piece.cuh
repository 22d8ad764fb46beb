// Pieces of a row: neighbouring elements that a lane loads, adds and stores together.
//
// Targets are sums of integers of 32 or 64 bits, float, double, __half, __nv_bfloat16 or FixedSum
// (atomtune_fixed.cuh), or Extremes of these numbers, whose sum is the smaller or the larger of
// two. Sums of targets of 16 bits are kept as float, so that only what is added to a target is
// rounded; extremes of them are not rounded at all.
//
// From sm_90 on a piece is added to float, __half and __nv_bfloat16 in global memory by one
// vector reduction of up to 16 bytes (red.global.add with .v2 or .v4), which is one request
// where scalar atomics are several. Other pieces go element by element, those of 16 bits in
// pairs: of __half by the hardware, else by a loop of compare-and-swap.
#pragma once

#include "atomtune_add.cuh"
#include "atomtune_extremes.cuh"
#include "atomtune_stream.cuh"
#include "atomtune_widened.cuh"

namespace atomtune {

// Extremes are targets that hold the least or the greatest of numbers N, by atomtune_extremes.cuh.
template <typename N, Extreme extreme>
struct Extremes {};

// RowTarget says what numbers targets of type T hold, what they lie in memory as, and what their
// sums are. Elements of 16 bits are read and written as words, since their type may be declared
// only.
template <typename T>
struct RowTarget {
  using Number = T;
  using Element = T;
  using Sum = T;
};
template <>
struct RowTarget<__half> {
  using Number = __half;
  using Element = uint16_t;
  using Sum = float;
};
template <>
struct RowTarget<__nv_bfloat16> {
  using Number = __nv_bfloat16;
  using Element = uint16_t;
  using Sum = float;
};
template <typename N, Extreme extreme>
struct RowTarget<Extremes<N, extreme>> {
  using Number = N;
  using Sum = Extremum<typename RowTarget<N>::Sum, extreme>;
  using Element = std::conditional_t<std::is_same_v<typename RowTarget<N>::Element, uint16_t>,
                                     uint16_t, Sum>;
};

template <typename T>
using Element = typename RowTarget<T>::Element;

template <typename T>
using SumOf = typename RowTarget<T>::Sum;

// is_short reports whether elements have 16 bits.
template <typename T>
inline constexpr bool is_short = std::is_same_v<Element<T>, uint16_t>;

// Piece is V neighbouring elements of a row, or sums of them, of type A. It is read and written 16
// bytes at a time, if it has as many.
template <int V, typename A = float>
struct alignas(V * sizeof(A) % 16 == 0 ? 16 : alignof(A)) Piece {
  A element[V];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int e = 0; e < V; ++e) element[e] = A(0);
  }
  __device__ __forceinline__ void add(const Piece& other) {
#pragma unroll
    for (int e = 0; e < V; ++e) element[e] = plus(element[e], other.element[e]);
  }
};

// sums_at is a piece of sums, which are aligned to it or to 16 bytes of it.
template <int V, typename A>
__device__ __forceinline__ Piece<V, A>* sums_at(A* sums) {
  return reinterpret_cast<Piece<V, A>*>(sums);
}

// Bounds are the first element of an array and the one behind its last.
template <typename E>
struct Bounds {
  const E *first, *end;
};

namespace rows {

// architecture is that of the device; the host has none.
#ifdef __CUDA_ARCH__
inline constexpr int architecture = __CUDA_ARCH__;
#else
inline constexpr int architecture = 0;
#endif

template <typename T>
inline constexpr bool is_half = std::is_same_v<T, __half>;

// widened is the number that 16 bits are, of __half or else of __nv_bfloat16.
template <typename T>
__device__ __forceinline__ float widened(uint16_t bits) {
  if constexpr (is_half<typename RowTarget<T>::Number>) {
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

// half_bits rounds to the nearest half in the same way.
__device__ __forceinline__ uint32_t half_bits(float x) {
#ifdef __CUDA_ARCH__
  uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
#else
  const uint32_t word = __float_as_uint(x), sign = word >> 16 & 0x8000u;
  uint32_t size = word & 0x7fffffffu;
  if (size > 0x7f800000u) return sign | 0x7fffu;
  if (size >= 0x477ff000u) return sign | 0x7c00u;  // from halfway beyond the last number on
  uint32_t cut = 13;  // bits of the fraction that go
  if (size >= 0x38800000u) {
    size -= 112u << 23;  // the bias of the exponent
  } else {  // subnormal: a multiple of the least number
    cut = 126 - (size >> 23);
    if (cut > 24) return sign;
    size = (size & 0x7fffffu) | 0x800000u;
  }
  return sign | (size + (1u << (cut - 1)) - 1 + (size >> cut & 1u)) >> cut;
#endif
}

// pair_of are two elements of 16 bits as they lie in a word, the first in its low half.
template <typename T>
__device__ __forceinline__ uint32_t pair_of(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  uint32_t pair;
  if constexpr (is_half<typename RowTarget<T>::Number>) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  }
  return pair;
#else
  if constexpr (is_half<typename RowTarget<T>::Number>) {
    return half_bits(low) | half_bits(high) << 16;
  } else {
    return bfloat16_bits(low) | bfloat16_bits(high) << 16;
  }
#endif
}

// number_of is the number of a sum of targets of 16 bits.
__device__ __forceinline__ float number_of(float sum) { return sum; }
template <Extreme extreme>
__device__ __forceinline__ float number_of(Extremum<float, extreme> sum) {
  return real_of(sum.word());
}

// changed is a pair of elements after an update of both.
template <typename T>
__device__ __forceinline__ uint32_t changed(uint32_t old, uint32_t pair) {
  const float low = widened<T>(uint16_t(old)), high = widened<T>(uint16_t(old >> 16));
  const float x = widened<T>(uint16_t(pair)), y = widened<T>(uint16_t(pair >> 16));
  using A = SumOf<T>;
  if constexpr (std::is_same_v<A, float>) {
    return pair_of<T>(low + x, high + y);
  } else {
    const uint32_t taken = (A::of(low).yields_to(A::of(x)) ? 0xffffu : 0u) |
                           (A::of(high).yields_to(A::of(y)) ? 0xffff0000u : 0u);
    return (old & ~taken) | (pair & taken);
  }
}

// exchange_short updates a word of two elements, or of one, by compare-and-swap. It held expected a
// moment ago.
template <typename T, typename Word>
__device__ __forceinline__ void exchange_short(Word* word, Word x, Word expected) {
  Word old;
  do {
    old = expected;
    const Word next = Word(changed<T>(old, x));
    if (!std::is_same_v<SumOf<T>, float> && next == old) return;
    expected = atomicCAS(word, old, next);
  } while (expected != old);
}

// update_pairs updates neighbouring words of global memory, aligned to them all. With halves the
// hardware adds one word before sm_90, and from then on it adds several.
template <typename T, int Pairs>
__device__ __forceinline__ void update_pairs(uint32_t* word, const uint32_t (&pair)[Pairs]) {
#define ATOMTUNE_ADD_PAIRS(type)                                                             \
  if constexpr (Pairs == 4) {                                                                \
    asm volatile("red.global.add.noftz.v4." type " [%0], {%1, %2, %3, %4};" ::"l"(word),     \
                 "r"(pair[0]), "r"(pair[1]), "r"(pair[2]), "r"(pair[3])                      \
                 : "memory");                                                                \
  } else if constexpr (Pairs == 2) {                                                         \
    asm volatile("red.global.add.noftz.v2." type " [%0], {%1, %2};" ::"l"(word),             \
                 "r"(pair[0]), "r"(pair[1])                                                  \
                 : "memory");                                                                \
  } else {                                                                                   \
    asm volatile("red.global.add.noftz." type " [%0], %1;" ::"l"(word), "r"(pair[0])         \
                 : "memory");                                                                \
  }
  constexpr bool adds = std::is_same_v<SumOf<T>, float>;
  if constexpr (adds && is_half<T> && architecture >= (Pairs == 1 ? 600 : 900)) {
    ATOMTUNE_ADD_PAIRS("f16x2")
  } else if constexpr (adds && !is_half<T> && architecture >= 900) {
    ATOMTUNE_ADD_PAIRS("bf16x2")
  } else {
    const auto now = *sums_at<Pairs>(word);
#pragma unroll
    for (int p = 0; p < Pairs; ++p) exchange_short<T>(word + p, pair[p], now.element[p]);
  }
#undef ATOMTUNE_ADD_PAIRS
}

// update_single updates one element. Where the other half of its word is in the array too, the
// word is updated, with what changes no number for the other half; else the element alone.
template <typename T>
__device__ __forceinline__ void update_single(uint16_t* element, float x,
                                              Bounds<uint16_t> bounds) {
  const bool high = reinterpret_cast<size_t>(element) % 4 != 0;
  uint16_t* const low = element - high;
  if (low < bounds.first || low + 2 > bounds.end) {
    return exchange_short<T>(element, uint16_t(pair_of<T>(x, 0)), *element);
  }
  const float same = std::is_same_v<SumOf<T>, float> ? -0.0f : number_of(SumOf<T>(0));
  update_pairs<T, 1>(reinterpret_cast<uint32_t*>(low),
                     {high ? pair_of<T>(same, x) : pair_of<T>(x, same)});
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

// as_sum is a number as a sum of its own.
template <typename A, typename X>
__device__ __forceinline__ A as_sum(X x) {
  if constexpr (std::is_same_v<A, X>) {
    return x;
  } else {
    return A::of(x);
  }
}

}  // namespace rows

// load_piece reads V neighbouring values from the one numbered first, which is aligned to V of
// them.
template <int V, typename A, typename Values>
__device__ __forceinline__ Piece<V, A> load_piece(Values values, size_t first) {
  using In = InMemory<Values>;
  Piece<V, A> piece;
  if constexpr (V == 1 && In::bytes < 4) {
    piece.element[0] = rows::as_sum<A>(values[first]);
  } else {
    uint32_t word[V * In::bytes / 4];
    rows::load_words(word, In::elements(values) + first);
#pragma unroll
    for (int e = 0; e < V; ++e) piece.element[e] = rows::as_sum<A>(In::number(word, e));
  }
  return piece;
}

// add_piece adds a piece of at most 16 bytes to targets of T in global memory, of an array with
// bounds, aligned to it.
template <typename T, int V>
__device__ __forceinline__ void add_piece(Element<T>* target, const Piece<V, SumOf<T>>& piece,
                                          Bounds<Element<T>> bounds) {
  static_assert(V == 1 || V * sizeof(*target) <= 16, "16 bytes");
  const auto& x = piece.element;
  if constexpr (is_short<T>) {
    if constexpr (V == 1) {
      rows::update_single<T>(target, rows::number_of(x[0]), bounds);
    } else {
      uint32_t pair[V / 2];
#pragma unroll
      for (int p = 0; p < V / 2; ++p) {
        pair[p] = rows::pair_of<T>(rows::number_of(x[2 * p]), rows::number_of(x[2 * p + 1]));
      }
      rows::update_pairs<T>(reinterpret_cast<uint32_t*>(target), pair);
    }
  } else if constexpr (std::is_same_v<T, float> && V == 4 && rows::architecture >= 900) {
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(target), "f"(x[0]),
                 "f"(x[1]), "f"(x[2]), "f"(x[3])
                 : "memory");
  } else if constexpr (std::is_same_v<T, float> && V == 2 && rows::architecture >= 900) {
    asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(target), "f"(x[0]), "f"(x[1])
                 : "memory");
  } else if constexpr (std::is_same_v<T, typename RowTarget<T>::Number>) {
#pragma unroll
    for (int e = 0; e < V; ++e) atomic_add<T>(target + e, x[e]);
  } else {
    const auto now = *sums_at<V>(target);  // of all before an atomic is made
#pragma unroll
    for (int e = 0; e < V; ++e) SumOf<T>::replace(target + e, now.element[e], x[e]);
  }
}

}  // namespace atomtune
