// What the tests on a GPU share: values of every type, streams, and the verdict on targets.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "../atomtune_kernels.cuh"
#include "../companion/device.cuh"
#include "check.h"

// Parts of the test on a GPU, one file each.
void test_lanes();
void test_streams();
void test_sort();
void test_partition();
void test_extremes();
void test_deterministic();
void test_widened();
void test_rows();
void test_rows_sums();
void test_rows_shorts();
void test_rows_least();
void test_rows_least_others();
void test_rows_greatest();
void test_rows_greatest_others();

using companion::DeviceArray;

template <typename T>
std::string type_name() {
  const char kind = !std::is_integral_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
  return kind + std::to_string(8 * sizeof(T));
}

inline const char* name_of(atomtune::Naive) { return "naive"; }
inline const char* name_of(atomtune::ScanReduce) { return "sr"; }
inline const char* name_of(atomtune::VoteReduce) { return "vr"; }
inline const char* name_of(atomtune::Peers) { return "peers"; }
inline const char* name_of(atomtune::HashPeers) { return "peers by a hash"; }
inline const char* name_of(atomtune::Match) { return "match"; }

// wild_values are any integers, which wrap, or floats of both signs, which round.
template <typename T>
std::vector<T> wild_values(std::mt19937_64& random, size_t n) {
  std::vector<T> values(n);
  for (T& v : values) {
    if constexpr (std::is_integral_v<T>) {
      v = static_cast<T>(random());
    } else {
      v = std::uniform_real_distribution<T>(T(-1), T(2))(random);
    }
  }
  return values;
}

// small_values are 1 to 5: sums of them are exact in every type.
template <typename T>
std::vector<T> small_values(std::mt19937_64& random, size_t n) {
  std::vector<T> values(n);
  for (T& v : values) v = T(1 + random() % 5);
  return values;
}

// random_indices favours low ones.
inline std::vector<uint32_t> random_indices(std::mt19937_64& random, size_t n,
                                            uint32_t bins) {
  std::vector<uint32_t> index(n);
  for (uint32_t& i : index) {
    i = static_cast<uint32_t>(std::min(random() % bins, random() % bins));
  }
  return index;
}

// expect_totals compares targets, each of which held first and got its total.
template <typename T>
void expect_totals(const std::vector<T>& got, std::vector<Total> totals, T first,
                   const std::string& what) {
  bool right = got.size() == totals.size();
  for (size_t k = 0; right && k < got.size(); ++k) {
    totals[k].add(first);
    right = totals[k].allows(got[k]);
  }
  expect(right, what + ": wrong sum");
}

// totals_of are the totals of a stream's targets; without values each update adds 1.
template <typename T>
std::vector<Total> totals_of(const std::vector<uint32_t>& index,
                             const std::vector<T>& values, uint32_t bins) {
  std::vector<Total> totals(bins);
  for (size_t u = 0; u < index.size(); ++u) {
    totals[index[u]].add(values.empty() ? T(1) : values[u]);
  }
  return totals;
}

// expect_explained demands a serial order of each target's updates in which each found
// old; every target held first.
template <typename T>
void expect_explained(const std::vector<T>& got, const std::vector<uint32_t>& index,
                      const std::vector<T>& values, const std::vector<T>& old, T first,
                      const std::string& what) {
  std::vector<std::vector<Fetched<T>>> updates(got.size());
  for (size_t u = 0; u < index.size(); ++u) {
    updates[index[u]].push_back({old[u], values.empty() ? T(1) : values[u]});
  }
  bool good = true;
  for (size_t k = 0; k < got.size(); ++k) {
    good = good && explained(updates[k], first, got[k]);
  }
  expect(good, what + ": no serial order");
}

// for_each_type calls body with a value of each of the six types.
template <typename Body>
void for_each_type(Body body) {
  body(uint32_t());
  body(int32_t());
  body(float());
  body(static_cast<unsigned long long>(0));
  body(static_cast<long long>(0));
  body(double());
}

// for_each_form calls body with each form.
template <typename Body>
void for_each_form(Body body) {
  body(atomtune::Naive());
  body(atomtune::ScanReduce());
  body(atomtune::VoteReduce());
  body(atomtune::Peers());
  body(atomtune::Match());
}
