// Atomics of the emulated warp, and the bits of floats. warp_emulator.h includes it.
#pragma once

#include <cmath>

inline unsigned __float_as_uint(float x) { return unsigned(to_word(x)); }
inline float __uint_as_float(unsigned word) { return from_word<float>(word); }
inline long long __double_as_longlong(double x) { return from_word<long long>(to_word(x)); }
inline double __longlong_as_double(long long word) { return from_word<double>(word); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }

template <typename T>
T replace(T* target, T (*next)(T old, T v), T v) {
  the_warp.begin_atomic(target);
  const T old = *target;
  *target = next(old, v);
  return old;
}

template <typename T>
T atomicAdd(T* target, T v) {
  return replace<T>(target, [](T old, T x) { return old + x; }, v);
}

template <typename T>
T atomicMin(T* target, T v) {
  return replace<T>(target, [](T old, T x) { return x < old ? x : old; }, v);
}

template <typename T>
T atomicMax(T* target, T v) {
  return replace<T>(target, [](T old, T x) { return x > old ? x : old; }, v);
}

template <typename T>
T atomicOr(T* target, T v) {
  return replace<T>(target, [](T old, T x) { return T(old | x); }, v);
}

template <typename T>
T atomicExch(T* target, T v) {
  return replace<T>(target, [](T, T x) { return x; }, v);
}

template <typename T>
T atomicCAS(T* target, T expected, T v) {
  the_warp.begin_atomic(target);
  const T old = *target;
  if (old == expected) *target = v;
  return old;
}
