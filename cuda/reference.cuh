// Values to add, and the verdict on a result: a serial sum on the host.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "stream.cuh"

// value_of is the value of update u: 1, 2 or 3, in an order without a pattern.
inline uint32_t value_of(size_t u) {
  uint32_t h = uint32_t(u) * 2654435761u;
  h = (h ^ h >> 15) * 2246822519u;
  return 1 + (h >> 16) % 3;
}

template <typename T>
std::vector<T> make_values(size_t updates) {
  std::vector<T> values(updates);
  for (size_t u = 0; u < updates; ++u) values[u] = T(value_of(u));
  return values;
}

// Reference holds what each target must be. All values are positive integers, so
// the sums are integers too.
struct Reference {
  std::vector<uint64_t> sum;
  std::vector<size_t> count;
};

inline Reference make_reference(const Stream& stream, bool ones) {
  Reference reference{std::vector<uint64_t>(stream.bins), counts(stream)};
  for (size_t u = 0; u < stream.updates(); ++u) {
    reference.sum[stream.index[u]] += ones ? 1 : value_of(u);
  }
  return reference;
}

// close_enough compares one target. Integers must agree modulo their width. Floats
// must agree exactly while the sum is below 2^p, p the width of the significand:
// up to there no order of additions rounds. Above, a sum of n terms in any order
// may be off by n/(2^p - n) of it, the usual forward bound.
template <typename T>
bool close_enough(T got, uint64_t want, size_t terms) {
  if constexpr (std::is_floating_point_v<T>) {
    const double limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (double(want) < limit) return double(got) == double(want);
    if (double(terms) >= limit) return std::isfinite(got);
    return std::fabs(double(got) - double(want)) <=
           double(want) * double(terms) / (limit - double(terms));
  } else {
    return got == static_cast<T>(want);
  }
}

// first_difference describes the first wrong target, or is empty if all are right.
template <typename T>
std::string first_difference(const std::vector<T>& got, const Reference& reference) {
  for (size_t k = 0; k < got.size(); ++k) {
    if (close_enough(got[k], reference.sum[k], reference.count[k])) continue;
    return "target " + std::to_string(k) + " is " + std::to_string(got[k]) +
           ", should be " + std::to_string(reference.sum[k]);
  }
  return "";
}
