// A grid of blocks on the emulated warp, streams, and their serial sums.
#pragma once

#include <random>
#include <string>

#include "check.h"
#include "serial_order.h"

using namespace atomtune;

struct Stream {
  std::vector<uint32_t> index;
  uint32_t bins;
};

inline Stream random_stream(std::mt19937& random, size_t updates, uint32_t bins) {
  Stream s{std::vector<uint32_t>(updates), bins};
  for (uint32_t& i : s.index) i = std::min(random() % bins, random() % bins);
  return s;
}

// run executes kernel in blocks of one warp or several, one after the other.
inline void run(unsigned blocks, Body kernel, unsigned warps = 1) {
  gridDim.x = blocks;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {
    the_warp.run(full_warp, kernel, warps);
  }
  blockIdx.x = 0;
}

template <typename T>
std::vector<T> make_values(const Stream& s) {
  std::vector<T> values(s.index.size());
  for (size_t u = 0; u < values.size(); ++u) values[u] = T(1 + u * 7 % 5);
  return values;
}

template <typename T>
T value_at(Loaded<T> values, size_t u) {
  return values.values[u];
}
template <typename T>
T value_at(Ones, size_t) {
  return T(1);
}

// serial is what the targets must be where each holds 3 at first.
template <typename T, typename Values>
std::vector<T> serial(const Stream& s, Values values) {
  std::vector<T> A(s.bins, T(3));
  for (size_t u = 0; u < s.index.size(); ++u) A[s.index[u]] += value_at<T>(values, u);
  return A;
}

// all_serial reports whether the old values of each target's updates are those of a serial order, from
// 3 to what it holds at last.
template <typename T, typename Values>
bool all_serial(const Stream& s, Values values, const std::vector<T>& old,
                const std::vector<T>& last) {
  std::vector<std::vector<Step>> steps(s.bins);
  for (size_t u = 0; u < old.size(); ++u) {
    const T next = T(old[u] + value_at<T>(values, u));
    steps[s.index[u]].push_back({to_word(old[u]), to_word(next)});
  }
  bool all = true;
  for (uint32_t k = 0; k < s.bins; ++k) {
    all = all && has_serial_order(steps[k], to_word(T(3)), to_word(last[k]));
  }
  return all;
}

// emulated_streams are those on which the calls of a stream are tested: without an
// update, and of any order, skewed and of one target. None fills its last warp.
inline std::vector<Stream> emulated_streams(std::mt19937& random) {
  const uint32_t bins = 300;
  Stream uniform{std::vector<uint32_t>(301), bins}, half = uniform;
  for (uint32_t& i : uniform.index) i = random() % bins;
  for (uint32_t& i : half.index) i = random() % 2 ? 77 : random() % bins;
  const Stream constant{std::vector<uint32_t>(301, 299), bins};
  return {{{}, bins}, random_stream(random, 45, bins), uniform, half, constant};
}

template <typename Body>
void for_each_form(Body body) {
  body(Naive());
  body(ScanReduce());
  body(VoteReduce());
  body(Peers());
  body(Match());
}

// for_each_form_of has all forms for a type of each size, and Naive and Match for the others: a form
// knows no more of a type than its size, and atomtune_test has all forms with all types.
template <typename T, typename Body>
void for_each_form_of(Body body) {
  if constexpr (std::is_same_v<T, uint32_t> || std::is_same_v<T, double>) {
    for_each_form(body);
  } else {
    body(Naive());
    body(Match());
  }
}
