// Counting checks, and two verdicts on a result that several tests need.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

inline long checks = 0;
inline int failures = 0;

// expect counts a check and reports the first failures.
inline void expect(bool ok, const std::string& what) {
  ++checks;
  if (ok) return;
  if (++failures <= 20) std::fprintf(stderr, "FAIL %s\n", what.c_str());
}

inline void expect(bool ok, const char* what) {  // no string is made where it is not needed
  if (ok) {
    ++checks;
  } else {
    expect(ok, std::string(what));
  }
}

// verdict prints the counts and returns the exit status. Fewer than least checks are a
// failure too.
inline int verdict(const char* test, long least) {
  std::printf("%s: %ld checks, %d failures\n", test, checks, failures);
  if (checks >= least) return failures == 0 ? 0 : 1;
  std::fprintf(stderr, "FAIL %s: only %ld of %ld checks ran\n", test, checks, least);
  return 1;
}

// Fetched is what one update got back and what it added.
template <typename T>
struct Fetched {
  T old, v;
};

// explained reports whether some serial order of one target's updates gives every update
// the old value that it got: with values above zero and exact sums there is one
// such order at most, the ascending one.
template <typename T>
bool explained(std::vector<Fetched<T>> updates, T first, T last) {
  std::sort(updates.begin(), updates.end(),
            [](const Fetched<T>& a, const Fetched<T>& b) { return a.old < b.old; });
  T now = first;
  for (const Fetched<T>& update : updates) {
    if (update.old != now) return false;
    now += update.v;
  }
  return now == last;
}

// Total is the exact sum of a target's values, as far as long double holds it, the
// sum of their sizes, and their number.
struct Total {
  uint64_t wrapped = 0;  // integers, modulo 2^64
  long double sum = 0, size = 0;
  long terms = 0;

  template <typename T>
  void add(T v) {
    if constexpr (std::is_integral_v<T>) wrapped += static_cast<uint64_t>(v);
    sum += static_cast<long double>(v);
    size += std::fabs(static_cast<long double>(v));
    ++terms;
  }

  // allows reports whether got is the sum: modulo the width for integers, within the
  // bound of atomtune.cuh for floats.
  template <typename T>
  bool allows(T got) const {
    if constexpr (std::is_integral_v<T>) {
      return got == static_cast<T>(wrapped);
    } else {
      const long double u = std::ldexp(1.0L, -std::numeric_limits<T>::digits);
      const long double nu = static_cast<long double>(terms > 0 ? terms - 1 : 0) * u;
      return std::fabs(static_cast<long double>(got) - sum) <= nu / (1 - nu) * size;
    }
  }
};
