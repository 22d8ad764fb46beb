// Values to add, and the verdict on a result: a serial sum on the host.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "stream.h"

namespace companion {

// value_of is the value of update u: 1, 2 or 3, in an order without a pattern.
inline uint32_t value_of(size_t u) {
  uint32_t h = static_cast<uint32_t>(u) * 2654435761u;
  h = (h ^ h >> 15) * 2246822519u;
  return 1 + (h >> 16) % 3;
}

template <typename T>
std::vector<T> make_values(size_t updates) {
  std::vector<T> values(updates);
  for (size_t u = 0; u < updates; ++u) values[u] = T(value_of(u));
  return values;
}

// Reference holds what each target must be with loaded values, and how many updates
// it receives, which is its sum with ones. All values are positive integers, so the
// sums are integers too.
struct Reference {
  std::vector<uint64_t> sum, count;

  explicit Reference(const Stream& stream) : sum(stream.bins), count(stream.bins) {
    for (size_t u = 0; u < stream.updates(); ++u) {
      sum[stream.index[u]] += value_of(u);
      ++count[stream.index[u]];
    }
  }
};

// close_enough compares one target. Integers must agree modulo their width. Floats
// must agree exactly while the sum is below 2^p, p the width of the significand:
// up to there no order of additions rounds. Above, a sum of n terms in any order
// may be off by n/(2^p - n) of it, the usual forward bound.
template <typename T>
bool close_enough(T got, uint64_t want, uint64_t terms) {
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
std::string first_difference(const std::vector<T>& got, const Reference& reference,
                             bool ones) {
  const std::vector<uint64_t>& want = ones ? reference.count : reference.sum;
  for (size_t k = 0; k < want.size(); ++k) {
    if (k < got.size() && close_enough(got[k], want[k], reference.count[k])) continue;
    return "target " + std::to_string(k) + " is " +
           (k < got.size() ? std::to_string(got[k]) : "missing") + ", should be " +
           std::to_string(want[k]);
  }
  return "";
}

}  // namespace companion
