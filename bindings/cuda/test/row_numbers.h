// Numbers of rows, of any type of targets and values, and what an update makes of them by plain C++.
#pragma once

#include "../atomtune_row_piece.cuh"
#include "extreme_values.h"
#include "short_floats.h"

template <typename T>
using NumberIn = typename atomtune::RowTarget<T>::Number;

// adds reports whether targets of T are sums.
template <typename T>
inline constexpr bool adds = std::is_same_v<T, NumberIn<T>>;

// number_in is the number that an element is, of 16 bits as float.
template <typename N>
atomtune::SumOf<N> number_in(atomtune::Element<N> element) {
  if constexpr (std::is_same_v<N, __half>) {
    return half_number(element);
  } else if constexpr (std::is_same_v<N, __nv_bfloat16>) {
    return bfloat16_number(element);
  } else {
    return element;
  }
}

// element_of is a small whole number as an element.
template <typename N>
atomtune::Element<N> element_of(int x) {
  if constexpr (atomtune::is_short<N>) {
    return short_bits(float(x), std::is_same_v<N, __half> ? 5 : 8);
  } else {
    return atomtune::Element<N>(x);
  }
}

// any_value is a value S for targets T whose results do not depend on the order: any word where
// they are not sums, or wrap, else a small number.
template <typename T, typename S>
atomtune::Element<S> any_value(std::mt19937_64& random) {
  using X = atomtune::SumOf<S>;
  if constexpr (adds<T> && !std::is_integral_v<X>) {
    return element_of<S>(int(random() % 6) - 2);
  } else if constexpr (atomtune::is_short<S>) {
    return uint16_t(random());
  } else {
    return any_number<X>(int(random() % number_kinds<X>), random);
  }
}

// after is what an update by x makes of a number.
template <typename T, typename X>
X after(X old, X x) {
  if constexpr (adds<T>) {
    return atomtune::plus(old, x);
  } else {
    using atomtune::Extreme;
    const bool least = std::is_same_v<T, atomtune::Extremes<NumberIn<T>, Extreme::least>>;
    return extreme_of(least ? Extreme::least : Extreme::greatest, old, x);
  }
}
