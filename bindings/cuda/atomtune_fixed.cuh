// Sums in fixed point, through every form of atomtune.cuh that returns nothing: FixedSum is
// a type that the forms add as they add numbers. Integers are added exactly, so that no
// order matters. atomtune_deterministic.cuh makes sums of floats of it.
#pragma once

#include <cstddef>

#include "atomtune_float.cuh"

namespace atomtune {

// SumKind says whether a sum is finite. The values are those of the top bits of a word.
enum class SumKind : unsigned { finite = 0, infinite = 1, nan = 2, negative_infinite = 3 };

// joined is the kind of a sum of sums of kinds a and b: opposite infinities make a NaN.
__host__ __device__ __forceinline__ SumKind joined(SumKind a, SumKind b) {
  if (a == SumKind::finite || a == b) return b;
  return b == SumKind::finite ? a : SumKind::nan;
}

// FixedSum is a sum of `words` integers, each of 61 bits and a sign. The first word also
// holds the kind: it is the kind times 2^62, and what was added to it since, which is less
// than 2^61 in size. So a sum that is not finite stays so whatever is added. Where all that is
// added is finite, nothing asks for the kind.
template <int words, bool finite = false>
class FixedSum {
 public:
  using Word = unsigned long long;

  FixedSum() = default;
  // Of all numbers only the literal 0 is a null pointer: FixedSum(0) alone compiles.
  __host__ __device__ FixedSum(std::nullptr_t) {
    for (int j = 0; j < words; ++j) word[j] = 0;
  }
  __host__ __device__ static FixedSum of_kind(SumKind kind) {
    FixedSum sum(nullptr);
    sum.word[0] = base(kind);
    return sum;
  }

  __host__ __device__ SumKind kind() const { return kind_of(word[0]); }

  friend __host__ __device__ __forceinline__ FixedSum operator+(FixedSum a, FixedSum b) {
    if constexpr (!finite) {
      const SumKind kind = joined(a.kind(), b.kind());
      if (kind != SumKind::finite) return of_kind(kind);
    }
    for (int j = 0; j < words; ++j) a.word[j] += b.word[j];
    return a;
  }
  friend __host__ __device__ __forceinline__ bool operator!=(const FixedSum& a,
                                                             const FixedSum& b) {
    bool differs = false;
    for (int j = 0; j < words; ++j) differs = differs || a.word[j] != b.word[j];
    return differs;
  }

  // What the forms call. The words are added one by one, those that are zero not at all: no
  // old value of them all exists, and zero stands for it.
  friend __device__ __forceinline__ FixedSum atomicAdd(FixedSum* target, FixedSum v) {
    if (!finite && v.kind() != SumKind::finite) {
      mark(target->word, v.kind());
      return FixedSum(nullptr);
    }
#pragma unroll
    for (int j = 0; j < words; ++j) {
      if (v.word[j] != 0) atomicAdd(target->word + j, v.word[j]);
    }
    return FixedSum(nullptr);
  }
  friend __device__ __forceinline__ FixedSum __shfl_sync(unsigned mask, FixedSum v, int lane) {
    for (int j = 0; j < words; ++j) v.word[j] = __shfl_sync(mask, v.word[j], lane);
    return v;
  }
  friend __device__ __forceinline__ FixedSum __shfl_down_sync(unsigned mask, FixedSum v,
                                                              unsigned by) {
    for (int j = 0; j < words; ++j) v.word[j] = __shfl_down_sync(mask, v.word[j], by);
    return v;
  }
  friend __device__ __forceinline__ FixedSum __shfl_xor_sync(unsigned mask, FixedSum v,
                                                             int bits) {
    for (int j = 0; j < words; ++j) v.word[j] = __shfl_xor_sync(mask, v.word[j], bits);
    return v;
  }

  Word word[words];  // the highest first

 private:
  __host__ __device__ static Word base(SumKind kind) { return Word(kind) << 62; }
  __host__ __device__ static SumKind kind_of(Word word) {
    return SumKind((word + (Word(1) << 61)) >> 62);
  }

  // mark makes the sum one of kind, joined with what it is.
  __device__ static void mark(Word* target, SumKind kind) {
    Word now = *static_cast<volatile Word*>(target);
    Word expected;
    do {
      const SumKind next = joined(kind_of(now), kind);
      if (next == kind_of(now)) return;
      expected = now;
      now = atomicCAS(target, expected, base(next));
    } while (now != expected);
  }
};

template <typename T>
inline constexpr bool is_fixed_sum = false;
template <int words, bool finite>
inline constexpr bool is_fixed_sum<FixedSum<words, finite>> = true;

}  // namespace atomtune
