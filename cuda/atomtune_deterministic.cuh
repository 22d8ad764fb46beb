// Sums of float and double that are bitwise the same on every run, for any order of the
// updates, any form and any launch. The values are added as integers: in fixed point, on a
// scale that the greatest of them sets. A call of n updates of K targets is, in one stream:
//
//   using Sum = atomtune::FixedSum<atomtune::fixed_words<float>>;
//   Sum* sums;       // K of them, and
//   uint32_t* top;   // one word: the scale
//   cudaMemsetAsync both to zero
//   find_scale<<<blocks, 1024>>>(top, Loaded<float>{values}, n);
//   const auto fixed = fixed_point<float>(Loaded<float>{values}, top, n);
//   update_private<Naive><<<...>>>(sums, index, fixed, n, copies);
//   finish_fixed<<<blocks, 256>>>(out, sums, K, top, n, Finish::add);
//
// with any update_ kernel of atomtune_kernels.cuh. Nothing waits on the host. Copies and
// tables in shared memory hold a Sum per target, of 16 bytes for float and 24 for double. Of
// n = 2^24 updates a float of at least 2^-13 of the greatest is one atomic of 64 bits, a
// double as a rule two. All n values count for the scale, those that no target takes too.
//
// Numbers. Let p be 24 for float and 53 for double, u = 2^-p, w the words of a sum, b =
// 61 - ceil(log2 n), and let 2^E be the greatest power of two that the greatest finite
// |value| reaches (that of subnormals is the least normal number). A value is rounded to a
// multiple of q = 2^(E + 1 - w b), halves away from zero: by q/2 at most, and not at all
// from 2^(E + p - w b) on. It is then w digits of b bits, each of which is added to a word of
// its own. A word's sum of n digits is below n 2^b <= 2^61 in size, so that none overflows.
// The integers are exact, hence without order. Last, the words and what the target held
// before are added exactly and rounded once, to nearest, ties to even. So for a target with
// m updates
//
//   |result - exact| <= u |result| + m q/2
//
// where the last term is zero if all its values are 0 or at least 2^(E + p - w b), and the one
// before if the result is subnormal. For 2^24 updates b is 37, and these are values down to
// 2^-50 of the greatest one in floats (w = 2), to 2^-58 in doubles (w = 3): the result is then
// the exact sum, correctly rounded, on any device. Else it is within the bound of atomtune.cuh
// as long as S, the sum of |v| over a target's values, is at least 2^p q. For then m q/2 <=
// m u S / 2, and with what the target held, of size h, the rounding adds at most
// u (h + S + m q/2). The sum of both is at most m u (h + S) / (1 - m u), the bound for m + 1
// numbers, from m = 2 on; and a single value of that size is not rounded to fixed point.
// A target that gets values below q/2 alone stays as it was.
//
// Infinity and NaN stick to their target: it becomes infinite, or NaN where there is a NaN or
// infinities of both signs; all NaN have the same bits. They do not set the scale. A target
// whose sum is zero keeps its bits, -0 and NaN too.
//
// All arithmetic is on integers, so that no option of nvcc changes a bit. n is at most 2^40.
#pragma once

#include <limits>

#include "atomtune_fixed.cuh"
#include "atomtune_scratch.cuh"
#include "atomtune_wide.cuh"

namespace atomtune {

// fixed_words is the number of words of a sum of values of type T.
template <typename T>
inline constexpr int fixed_words = sizeof(T) == 4 ? 2 : 3;

// fixed_bits is the number of bits of a digit, b above.
__host__ __device__ __forceinline__ int fixed_bits(size_t updates) {
  int bits = 61;
  while (bits > 0 && (size_t(1) << (61 - bits)) < updates) --bits;
  return bits;
}

// Parts are those of a finite number: mantissa * 2^(place - parts_bias<T>), or its kind.
struct Parts {
  unsigned long long mantissa;
  int place;  // at least 1
  bool negative;
  SumKind kind;
};

template <typename T>
inline constexpr int mantissa_bits = std::numeric_limits<T>::digits;

// no_place is the place that infinity and NaN seem to have.
template <typename T>
inline constexpr int no_place = int(WordOf<T>::infinity >> (mantissa_bits<T> - 1));

template <typename T>
__device__ __forceinline__ Parts parts_of(T v) {
  const Word<T> word = word_of(v), size = word & (~Word<T>(0) >> 1);
  const Word<T> hidden = Word<T>(1) << (mantissa_bits<T> - 1);
  const int field = int(size >> (mantissa_bits<T> - 1));
  const bool negative = has_sign<T>(word);
  Parts parts{field == 0 ? size : (size & (hidden - 1)) | hidden, field == 0 ? 1 : field,
              negative, SumKind::finite};
  if (field == no_place<T>) {
    parts.kind = is_nan<T>(word) ? SumKind::nan
                                 : negative ? SumKind::negative_infinite : SumKind::infinite;
  }
  return parts;
}

// to_fixed is v as w digits of so many bits, top being the greatest place of all values.
template <int words, typename T>
__device__ __forceinline__ FixedSum<words> to_fixed(T v, int top, int bits) {
  const Parts parts = parts_of(v);
  if (parts.kind != SumKind::finite) return FixedSum<words>::of_kind(parts.kind);
  using Word = unsigned long long;
  const Word flip = parts.negative ? ~Word(0) : 0;  // and plus 1: negated
  FixedSum<words> sum(nullptr);
  const int first = bits - mantissa_bits<T> - (top - parts.place);
  if (first >= 0) {
    sum.word[0] = ((parts.mantissa << first) ^ flip) - flip;
    return sum;
  }
  Word m = parts.mantissa;
  int last = first + (words - 1) * bits;
  if (last < 0) {
    m = last < -62 ? 0 : (m + (Word(1) << (-last - 1))) >> -last;
    last = 0;
  }
  const Word mask = (Word(1) << bits) - 1;
#pragma unroll
  for (int j = 0; j < words; ++j) {
    const Word digit = shifted(m, last - (words - 1 - j) * bits) & mask;
    sum.word[j] = (digit ^ flip) - flip;
  }
  return sum;
}

// FixedPoint has the values as sums, for kernels that follow find_scale.
template <typename Values, int words>
struct FixedPoint {
  Values values;
  const uint32_t* top;
  int bits;

  __device__ __forceinline__ FixedSum<words> operator[](size_t u) const {
    return to_fixed<words>(values[u], int(__ldg(top)), bits);
  }
};

// fixed_point is FixedPoint for a call of so many updates with values of type T.
template <typename T, typename Values>
FixedPoint<Values, fixed_words<T>> fixed_point(Values values, const uint32_t* top,
                                               size_t updates) {
  return {values, top, fixed_bits(updates)};
}

// find_top raises *top to the greatest place of the finite values. Blocks are
// one-dimensional with whole warps; a thread has four loads in flight.
template <typename Values>
__device__ __forceinline__ void find_top(uint32_t* top, Values values, size_t updates) {
  using T = std::decay_t<decltype(values[updates])>;
  constexpr int together = 4;
  const size_t step = size_t(gridDim.x) * blockDim.x;
  uint32_t most = 0;
  for (size_t u = size_t(blockIdx.x) * blockDim.x + threadIdx.x; u < updates;
       u += together * step) {
#pragma unroll
    for (int k = 0; k < together; ++k) {
      const Parts parts = parts_of(u + k * step < updates ? values[u + k * step] : T(0));
      const uint32_t place = parts.kind == SumKind::finite ? uint32_t(parts.place) : 0;
      most = place > most ? place : most;
    }
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    const uint32_t other = __shfl_xor_sync(full_warp, most, distance);
    most = other > most ? other : most;
  }
  const bool higher = most > *static_cast<volatile uint32_t*>(top);
  if (threadIdx.x % 32 == 0 && higher) atomicMax(top, most);
}

// packed is the number sign * bits * 2^(place - parts_bias<T>) rounded to nearest, ties to even.
template <typename T>
__device__ __forceinline__ T packed(Leading x, bool negative) {
  if (x.bits == 0) return T(0);
  int cut = 64 - mantissa_bits<T>, place = x.place + cut;
  if (place < 1) {  // subnormal, and as a multiple of the least number not rounded
    cut += 1 - place;
    place = 1;
  }
  const Word<T> sign = negative ? ~(~Word<T>(0) >> 1) : 0;
  if (place >= no_place<T>) return real_of(Word<T>(sign | WordOf<T>::infinity));
  const unsigned long long half = 1ull << (cut - 1), below = x.bits & (half | (half - 1));
  unsigned long long kept = shifted(x.bits, -cut);
  if (below > half || (below == half && (kept & 1u) != 0)) ++kept;
  // A mantissa with its highest bit set raises the exponent, and one that is full does so
  // once more, up to infinity.
  return real_of(Word<T>(sign | ((Word<T>(place - 1) << (mantissa_bits<T> - 1)) + Word<T>(kept))));
}

// special is the number of a kind that is not finite.
template <typename T>
__device__ __forceinline__ T special(SumKind kind) {
  const Word<T> infinity = WordOf<T>::infinity;
  if (kind == SumKind::nan) return real_of(Word<T>(infinity | infinity >> 1));
  const Word<T> sign = kind == SumKind::negative_infinite ? ~(~Word<T>(0) >> 1) : 0;
  return real_of(Word<T>(sign | infinity));
}

// finished is old plus the sum, rounded once.
template <typename T, int words>
__device__ __forceinline__ T finished(T old, const FixedSum<words>& sum, int top, int bits) {
  if (!(sum != FixedSum<words>(nullptr))) return old;
  const Parts held = parts_of(old);
  const SumKind kind = joined(sum.kind(), held.kind);
  if (kind != SumKind::finite) return special<T>(kind);
  // Below the last digit there is a limb for what old has there, above the first one more.
  Wide<words + 2> total;
  const int lowest = (top > 1 ? top : 1) + mantissa_bits<T> - words * bits - 64;
  const int position = held.place - lowest;
  if (position >= 64 * (words + 1)) {
    // The sum is below a quarter of the last bit of old, unless that is zero.
    if (held.mantissa != 0) return old;
  } else if (position >= 0) {
    total.add(held.mantissa, position, held.negative);
  } else {
    // What is lost of old is below 2^-64 of the sum, and shows only where it breaks a tie.
    const unsigned long long kept = shifted(held.mantissa, position);
    const bool lost = shifted(kept, -position) != held.mantissa;
    total.add(kept | (lost ? 1u : 0u), 0, held.negative);
  }
#pragma unroll
  for (int j = 0; j < words; ++j) {
    const bool negative = sum.word[j] >> 63 != 0;
    total.add(negative ? 0 - sum.word[j] : sum.word[j], 64 + (words - 1 - j) * bits, negative);
  }
  const bool negative = total.negative();
  if (negative) total.negate();
  Leading lead = leading(total);
  lead.place += lowest;
  return packed<T>(lead, negative);
}

// find_scale is find_top as a kernel. *top is zero before.
template <typename Values>
__global__ void __launch_bounds__(1024)
    find_scale(uint32_t* top, Values values, size_t updates) {
  find_top(top, values, updates);
}

// finish_fixed adds the sums to their targets, or stores them. Any grid is right.
template <typename T, int words>
__global__ void finish_fixed(T* out, const FixedSum<words>* sums, size_t targets,
                             const uint32_t* top, size_t updates, Finish finish) {
  const size_t step = size_t(gridDim.x) * blockDim.x;
  const int place = int(__ldg(top)), bits = fixed_bits(updates);
  for (size_t k = size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < targets; k += step) {
    const T old = finish == Finish::add ? out[k] : T(0);
    out[k] = finished(old, sums[k], place, bits);
  }
}

}  // namespace atomtune
