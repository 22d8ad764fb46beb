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
// The last word is rarely used, and can lie apart. Then Sum is FirstWords<T>, of 8 bytes for float
// and 16 for double, and
//
//   atomtune::LastWord* last;  // K of them, zero
//   const auto fixed = last_apart(fixed_point<float>(Loaded<float>{values}, top, n), last);
//   finish_fixed<<<blocks, 256>>>(out, sums, K, top, n, Finish::add, last);
//
// The bits are the same. An update adds to its last word in global memory where its last digit is
// not zero, or where it is not finite.
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
#include "atomtune_stream.cuh"
#include "atomtune_wide.cuh"
#include "atomtune_widened.cuh"

namespace atomtune {

// fixed_words is the number of words of a sum of values of type T.
template <typename T>
inline constexpr int fixed_words = sizeof(T) == 4 ? 2 : 3;

// FirstWords and LastWord are what such a sum falls into, if its last word lies apart. That also
// holds the kind.
template <typename T>
using FirstWords = FixedSum<fixed_words<T> - 1, true>;
using LastWord = FixedSum<1>;

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

// last_place is that of a number's last bit in the last of so many digits, top being the greatest
// place of all values. Below 0 bits are lost.
template <int words, typename T>
__device__ __forceinline__ int last_place(const Parts& parts, int top, int bits) {
  return words * bits - mantissa_bits<T> - (top - parts.place);
}

// digits_of is a number by digits of so many bits, with its last bit at a place from 0 on.
template <typename Sum, int words = int(sizeof(Sum) / sizeof(LastWord))>
__device__ __forceinline__ Sum digits_of(const Parts& parts, int last, int bits) {
  using Word = unsigned long long;
  const Word flip = parts.negative ? ~Word(0) : 0;  // and plus 1: negated
  const int first = last - (words - 1) * bits;
  Sum sum(nullptr);
  if (words == 1 || first >= 0) {
    sum.word[0] = ((parts.mantissa << (first & 63)) ^ flip) - flip;
    return sum;
  }
  const Word mask = (Word(1) << bits) - 1;
#pragma unroll
  for (int j = 0; j < words; ++j) {
    const Word digit = shifted(parts.mantissa, first + j * bits) & mask;
    sum.word[j] = (digit ^ flip) - flip;
  }
  return sum;
}

// to_fixed is v as w digits.
template <int words, typename T>
__device__ __forceinline__ FixedSum<words> to_fixed(T v, int top, int bits) {
  Parts parts = parts_of(v);
  if (parts.kind != SumKind::finite) return FixedSum<words>::of_kind(parts.kind);
  int last = last_place<words, T>(parts, top, bits);
  if (last < 0) {
    const unsigned long long half = last < -62 ? 0 : 1ull << (-last - 1);
    parts.mantissa = shifted(parts.mantissa + half, last < -62 ? -64 : last);
    last = 0;
  }
  return digits_of<FixedSum<words>>(parts, last, bits);
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

// LastApart has the values as the first words of sums. The last word is added to the target's in
// last.
template <typename Values, int words>
struct LastApart {
  FixedPoint<Values, words> fixed;
  LastWord* last;

  __device__ __forceinline__ auto operator[](size_t u) const { return fixed.values[u]; }
};

template <typename Values, int words>
LastApart<Values, words> last_apart(const FixedPoint<Values, words>& fixed, LastWord* last) {
  return {fixed, last};
}

// ScaledApart is a LastApart that has read the scale.
template <typename Values, int words>
struct ScaledApart : LastApart<Values, words> {
  int top;
};

template <typename Values, int words>
__device__ __forceinline__ ScaledApart<Values, words> prepared(
    const LastApart<Values, words>& values) {
  return {values, int(__ldg(values.fixed.top))};
}

// running are the lanes that run with the caller at the moment.
__device__ __forceinline__ unsigned running() {
#ifdef __CUDA_ARCH__
  return __activemask();
#else
  return 1u << lane_id();
#endif
}

// split adds the last word of a value of target i to last and returns the others. It is rarely
// called, and code of its own, since kernels have values in many places.
template <typename T>
__attribute__((noinline)) __device__ FirstWords<T> split(T v, int top, int bits, uint32_t i,
                                                         LastWord* last) {
  constexpr int words = fixed_words<T>;
  const FixedSum<words> sum = to_fixed<words>(v, top, bits);
  const bool finite = sum.kind() == SumKind::finite;
  LastWord word = LastWord::of_kind(sum.kind());
  if (finite) word.word[0] = sum.word[words - 1];
  add_match_to(GuardedTarget<LastWord>{last}, i, word, running());
  FirstWords<T> first;
#pragma unroll
  for (int j = 0; j < words - 1; ++j) first.word[j] = finite ? sum.word[j] : 0;
  return first;
}

template <typename Values, int words, typename T>
__device__ __forceinline__ FirstWords<T> number_for(const ScaledApart<Values, words>& values,
                                                    uint32_t i, T v) {
  const int top = values.top, bits = values.fixed.bits;
  const Parts parts = parts_of(v);
  const int last = last_place<words - 1, T>(parts, top, bits);
  if (parts.kind != SumKind::finite || (last < 0 && parts.mantissa != 0)) {
    return split(v, top, bits, i, values.last);
  }
  return digits_of<FirstWords<T>>(parts, last, bits);
}

// upper_bits are the upper 32 bits of a finite value's size, zero of any other.
template <typename T>
__device__ __forceinline__ uint32_t upper_bits(T v) {
  constexpr int lower = 8 * sizeof(T) - 32;
  const uint32_t upper = uint32_t(word_of(v) >> lower) & 0x7fffffffu;
  return upper < uint32_t(WordOf<T>::infinity >> lower) ? upper : 0;
}

// Sixteen are bytes that are loaded together.
struct alignas(16) Sixteen {
  uint32_t word[4];
};

// most_upper_bits is the greatest of the values that the caller reads: 16 bytes at a time, four
// times before it waits, and one by one before and behind what is aligned.
template <typename Values>
__device__ __forceinline__ uint32_t most_upper_bits(Values values, size_t updates) {
  using In = InMemory<Values>;
  const size_t step = size_t(gridDim.x) * blockDim.x;
  const size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  size_t before = 0, inside = 0;
  uint32_t most = 0;
  if constexpr (In::bytes > 0) {
    constexpr int together = 4, number = 16 / In::bytes;
    const auto* const elements = In::elements(values);
    const size_t unaligned = (0 - reinterpret_cast<uintptr_t>(elements)) % 16 / In::bytes;
    before = unaligned < updates ? unaligned : updates;
    const auto* const pieces = reinterpret_cast<const Sixteen*>(elements + before);
    const size_t all = (updates - before) / number;
    for (size_t p = first; p < all; p += together * step) {
      Sixteen piece[together];
#pragma unroll
      for (int k = 0; k < together; ++k) {
        if (p + k * step < all) piece[k] = pieces[p + k * step];
        else piece[k] = {};
      }
#pragma unroll
      for (int k = 0; k < together; ++k) {
#pragma unroll
        for (int e = 0; e < number; ++e) {
          most = at_least(most, upper_bits(In::number(piece[k].word, e)));
        }
      }
    }
    inside = all * number;
  }
  for (size_t u = first; u < updates - inside; u += step) {
    most = at_least(most, upper_bits(values[u < before ? u : u + inside]));
  }
  return most;
}

// find_top raises *top to the greatest place of the finite values, 1 at least. Blocks are
// one-dimensional with whole warps.
template <typename Values>
__device__ __forceinline__ void find_top(uint32_t* top, Values values, size_t updates) {
  using T = std::decay_t<decltype(values[updates])>;
  uint32_t most = most_upper_bits(values, updates);
  for (int distance = 16; distance > 0; distance /= 2) {
    most = at_least(most, __shfl_xor_sync(full_warp, most, distance));
  }
  const uint32_t place = at_least(most >> (mantissa_bits<T> + 31 - int(8 * sizeof(T))), 1u);
  const bool higher = place > *static_cast<volatile uint32_t*>(top);
  if (threadIdx.x % 32 == 0 && higher) atomicMax(top, place);
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

// whole is a sum with its last word, where that lies apart.
template <int words>
__device__ __forceinline__ FixedSum<words> whole(const FixedSum<words>& sum, const LastWord*) {
  return sum;
}
template <int words>
__device__ __forceinline__ FixedSum<words + 1> whole(const FixedSum<words, true>& first,
                                                     const LastWord* last) {
  auto sum = FixedSum<words + 1>::of_kind(last->kind());
  if (sum.kind() != SumKind::finite) return sum;
#pragma unroll
  for (int j = 0; j < words; ++j) sum.word[j] = first.word[j];
  sum.word[words] = last->word[0];
  return sum;
}

// find_scale is find_top as a kernel. *top is zero before. also(updates) is what the grid does
// besides.
struct NothingElse {
  __device__ __forceinline__ void operator()(size_t) const {}
};
template <typename Values, typename Also = NothingElse>
__global__ void __launch_bounds__(1024)
    find_scale(uint32_t* top, Values values, size_t updates, Also also = {}) {
  also(updates);
  find_top(top, values, updates);
}

// finish_fixed adds the sums to their targets, or stores them. Any grid is right.
template <typename T, typename Sum>
__global__ void finish_fixed(T* out, const Sum* sums, size_t targets, const uint32_t* top,
                             size_t updates, Finish finish, const LastWord* last = nullptr) {
  const size_t step = size_t(gridDim.x) * blockDim.x;
  const int place = int(__ldg(top)), bits = fixed_bits(updates);
  for (size_t k = size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < targets; k += step) {
    const T old = finish == Finish::add ? out[k] : T(0);
    const T now = finished(old, whole(sums[k], last + k), place, bits);
    if (finish == Finish::store || word_of(now) != word_of(old)) out[k] = now;
  }
}

// Where the targets are many more than the updates, only those that get updates are cleared and
// finished: ClearTouched goes before, as what find_scale does besides, and finish_touched behind.

// ClearTouched clears the sums of the targets of a call, whose last words lie apart.
template <typename Sum, typename Index>
struct ClearTouched {
  Sum* sums;
  LastWord* last;
  Index index;

  __device__ __forceinline__ void operator()(size_t updates) const {
    for_each_update<4>(whole_grid(), index, Ones(), updates, *this);
  }

  static constexpr bool takes_all = false;
  __device__ __forceinline__ bool takes(uint32_t) const { return false; }
  __device__ __forceinline__ void add(size_t, uint32_t i, One, unsigned, unsigned) const {
    if (i == no_target) return;
    sums[i] = Sum(0);
    last[i] = LastWord(0);
  }
};

// FinishTouched adds the sum of an update's target to it, once of all its updates: whoever comes
// first takes the last word and leaves one that no digits sum up to.
template <typename T>
struct FinishTouched {
  static constexpr unsigned long long taken = 1ull << 61;

  T* out;
  const FirstWords<T>* sums;
  LastWord* last;
  int top, bits;

  static constexpr bool takes_all = false;
  __device__ __forceinline__ bool takes(uint32_t) const { return false; }
  __device__ __forceinline__ void add(size_t, uint32_t i, One, unsigned mask, unsigned) const {
    const unsigned peers = __match_any_sync(mask, i);
    if (i == no_target || (peers & lanes_below(lane_id())) != 0) return;
    LastWord digit;
    digit.word[0] = atomicExch(last[i].word, taken);
    if (digit.word[0] != taken) out[i] = finished(out[i], whole(sums[i], &digit), top, bits);
  }
};

template <typename T, typename Index>
__global__ void finish_touched(T* out, const FirstWords<T>* sums, LastWord* last, Index index,
                               const uint32_t* top, size_t updates) {
  for_each_update<1>(whole_grid(), index, Ones(), updates,
                     FinishTouched<T>{out, sums, last, int(__ldg(top)), fixed_bits(updates)});
}

}  // namespace atomtune
