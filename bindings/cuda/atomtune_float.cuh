// Float atomics that the hardware lacks, for float and double in global or shared memory:
//
//   T old = atomtune::atomic_mul(target, v);      target · v
//   T old = atomtune::atomic_mad(target, a, b);   target + a · b, rounded once
//   T old = atomtune::atomic_div(target, v);      target / v
//   T old = atomtune::atomic_min(target, v);      the smaller of target and v
//   T old = atomtune::atomic_max(target, v);      the larger of target and v
//
// Each returns what the target held before. Addition is atomtune::atomic_add, which is the
// hardware's; for float in global memory it takes subnormals for zeros.
//
// mul, mad and div are the second listing of [streamhpc]: compute the new value from an
// expected one, exchange it by atomicCAS if the target still holds the expected bits, and
// else go on from the value that the exchange returned. An exchange fails only where
// another update has come between, so that the lanes together always get on. The first
// value comes from an ordinary read, which is volatile; if it is stale, that costs a turn
// and nothing else. The comparison is one of bits, so a NaN ends the loop as well.
//
// min and max are minimumNumber and maximumNumber of IEEE 754-2019: a NaN gives way to
// any number, -0 is below 0, and a target is NaN at the end only if it and all its operands
// were. The result does not depend on the order of the updates. They are one atomicMin or
// atomicMax of integers, whose order is that of the numbers: ascending for a clear sign,
// descending for a set one. Alone that would be wrong for NaN: by its bits a NaN with the
// sign set is below all numbers, one without is above. So a NaN operand changes nothing,
// and a NaN target that the integers left standing is replaced by the loop above.
//
// While a kernel runs, the target changes through atomics only, of this header or not.
// Subnormals are kept, and quotients are rounded correctly, unless nvcc is told otherwise
// (-ftz=true, -prec-div=false, --use_fast_math). min and max work on the bits, so no
// option changes them.
//
// Of lanes that meet in a loop on one target one succeeds each turn, and a turn goes to the
// memory and back: reduce in the warp first where you can (atomtune_float_match.cuh). min
// and max are an integer atomic of the hardware and a comparison.
//
// [streamhpc] Atomic operations for floats in OpenCL, improved. StreamHPC blog.
#pragma once

#include "atomtune_warp.cuh"

namespace atomtune {

// WordOf names the integers that are as wide as a float type, and the bits of infinity.
template <typename T>
struct WordOf;

template <>
struct WordOf<float> {
  using Unsigned = unsigned;
  using Signed = int;
  static constexpr Unsigned infinity = 0x7f800000u;
};

template <>
struct WordOf<double> {
  using Unsigned = unsigned long long;
  using Signed = long long;
  static constexpr Unsigned infinity = 0x7ff0000000000000u;
};

// Word is as wide as T and has no sign, SignedWord has one.
template <typename T>
using Word = typename WordOf<T>::Unsigned;

template <typename T>
using SignedWord = typename WordOf<T>::Signed;

// word_of and real_of turn a number into its bits and back.
__device__ __forceinline__ unsigned word_of(float x) { return __float_as_uint(x); }
__device__ __forceinline__ unsigned long long word_of(double x) {
  return static_cast<unsigned long long>(__double_as_longlong(x));
}

__device__ __forceinline__ float real_of(unsigned word) { return __uint_as_float(word); }
__device__ __forceinline__ double real_of(unsigned long long word) {
  return __longlong_as_double(static_cast<long long>(word));
}

// has_sign reports whether word stands for a number, a zero or a NaN with the sign set.
template <typename T>
__host__ __device__ __forceinline__ bool has_sign(Word<T> word) {
  return static_cast<SignedWord<T>>(word) < 0;
}

// is_nan reports whether word stands for a NaN.
template <typename T>
__host__ __device__ __forceinline__ bool is_nan(Word<T> word) {
  return (word & (~Word<T>(0) >> 1)) > WordOf<T>::infinity;
}

// order_of ascends with the number that word stands for, -0 below 0.
template <typename T>
__host__ __device__ __forceinline__ SignedWord<T> order_of(Word<T> word) {
  return static_cast<SignedWord<T>>(has_sign<T>(word) ? word ^ (~Word<T>(0) >> 1) : word);
}

// minimum is IEEE 754-2019's minimumNumber; of two NaNs it is the first.
template <typename T>
__device__ __forceinline__ T minimum(T x, T y) {
  if (is_nan<T>(word_of(y))) return x;
  if (is_nan<T>(word_of(x))) return y;
  return order_of<T>(word_of(y)) < order_of<T>(word_of(x)) ? y : x;
}

// maximum is IEEE 754-2019's maximumNumber; of two NaNs it is the first.
template <typename T>
__device__ __forceinline__ T maximum(T x, T y) {
  if (is_nan<T>(word_of(y))) return x;
  if (is_nan<T>(word_of(x))) return y;
  return order_of<T>(word_of(y)) > order_of<T>(word_of(x)) ? y : x;
}

// fused is a · b + c, rounded once.
__device__ __forceinline__ float fused(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
__device__ __forceinline__ double fused(double a, double b, double c) {
  return __fma_rn(a, b, c);
}

// read_word reads the target's bits past what the compiler holds in registers.
template <typename T>
__device__ __forceinline__ Word<T> read_word(const T* target) {
  return *reinterpret_cast<const volatile Word<T>*>(target);
}

// exchange_loop replaces the target x by next(x) and returns x. A function of x that
// depends on nothing else that changes makes it one atomic update.
template <typename T, typename Next>
__device__ __forceinline__ T exchange_loop(T* target, Next next) {
  Word<T> current = read_word(target);
  Word<T> expected;
  do {
    expected = current;
    current = atomicCAS(reinterpret_cast<Word<T>*>(target), expected,
                        word_of(next(real_of(expected))));
  } while (current != expected);
  return real_of(current);
}

// atomic_mul makes the target its product with v.
template <typename T>
__device__ __forceinline__ T atomic_mul(T* target, T v) {
  return exchange_loop(target, [v](T old) { return old * v; });
}

// atomic_mad adds a · b to the target, as fma does.
template <typename T>
__device__ __forceinline__ T atomic_mad(T* target, T a, T b) {
  return exchange_loop(target, [a, b](T old) { return fused(a, b, old); });
}

// atomic_div makes the target its quotient by v.
template <typename T>
__device__ __forceinline__ T atomic_div(T* target, T v) {
  return exchange_loop(target, [v](T old) { return old / v; });
}

// lower_word lowers the target to word in the order of the bits, and raise_word raises it.
// They return what it held.
template <typename T>
__device__ __forceinline__ Word<T> lower_word(T* target, Word<T> word) {
  if (has_sign<T>(word)) return atomicMax(reinterpret_cast<Word<T>*>(target), word);
  return static_cast<Word<T>>(atomicMin(reinterpret_cast<SignedWord<T>*>(target),
                                        static_cast<SignedWord<T>>(word)));
}

template <typename T>
__device__ __forceinline__ Word<T> raise_word(T* target, Word<T> word) {
  if (has_sign<T>(word)) return atomicMin(reinterpret_cast<Word<T>*>(target), word);
  return static_cast<Word<T>>(atomicMax(reinterpret_cast<SignedWord<T>*>(target),
                                        static_cast<SignedWord<T>>(word)));
}

// atomic_min lowers the target to v, or replaces it if it is a NaN.
template <typename T>
__device__ __forceinline__ T atomic_min(T* target, T v) {
  if (is_nan<T>(word_of(v))) return real_of(read_word(target));
  const Word<T> old = lower_word(target, word_of(v));
  const bool below_all = is_nan<T>(old) && has_sign<T>(old);
  if (!below_all) return real_of(old);
  return exchange_loop(target, [v](T now) { return minimum(now, v); });
}

// atomic_max raises the target to v, or replaces it if it is a NaN.
template <typename T>
__device__ __forceinline__ T atomic_max(T* target, T v) {
  if (is_nan<T>(word_of(v))) return real_of(read_word(target));
  const Word<T> old = raise_word(target, word_of(v));
  const bool above_all = is_nan<T>(old) && !has_sign<T>(old);
  if (!above_all) return real_of(old);
  return exchange_loop(target, [v](T now) { return maximum(now, v); });
}

}  // namespace atomtune
