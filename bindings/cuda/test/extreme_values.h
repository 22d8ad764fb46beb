// Numbers on which the least and the greatest of several are easily confused, and what
// they are by plain C++.
#pragma once

#include <type_traits>

#include "../atomtune_extremes.cuh"
#include "float_updates.h"

// number_kinds is how many kinds of numbers any_number knows for a type.
template <typename T>
inline constexpr int number_kinds = std::is_floating_point_v<T> ? 4 : 2;

// any_nan is one of either sign with any payload.
template <typename T>
T any_nan(std::mt19937_64& random) {
  using Word = atomtune::Word<T>;
  const Word word = Word(random()) | atomtune::WordOf<T>::infinity | 1;
  T x;
  std::memcpy(&x, &word, sizeof x);
  return x;
}

// any_number is any word, or one of few numbers. Of floats further kinds are zeros, and infinities
// and subnormals, of either sign and with some NaN.
template <typename T>
T any_number(int kind, std::mt19937_64& random) {
  if (kind == 0) return any_bits<T>(random);
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    const T odd[] = {Limits::infinity(), Limits::denorm_min(), Limits::min(), Limits::max()};
    const T sign = random() % 2 == 0 ? T(1) : T(-1);
    if (kind > 1 && random() % 16 == 0) return any_nan<T>(random);
    if (kind > 1) return sign * (kind == 2 ? T(0) : odd[random() % 4]);
  }
  return T(int(random() % 7)) - T(3);
}

// extreme_of is what v makes of old: a NaN where one of both is.
template <typename T>
T extreme_of(atomtune::Extreme extreme, T old, T v) {
  const bool least = extreme == atomtune::Extreme::least;
  if constexpr (std::is_floating_point_v<T>) {
    if (old != old || v != v) return old + v;
    return updated(least ? Op::min : Op::max, old, v, T(0));
  } else {
    return least ? std::min(old, v) : std::max(old, v);
  }
}

// same_numbers compares bits, and takes a NaN for any other.
template <typename T>
bool same_numbers(const std::vector<T>& x, const std::vector<T>& y) {
  const auto same = [](T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return bits_of(a) == bits_of(b);
    } else {
      return a == b;
    }
  };
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
}

template <typename T>
std::string extreme_name(atomtune::Extreme extreme, int kind) {
  const char type = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  return std::string(extreme == atomtune::Extreme::least ? "least " : "greatest ") + type +
         std::to_string(8 * sizeof(T)) + ", numbers of kind " + std::to_string(kind);
}
