// The kernels beside the calls, for one type each: the values that updates add, and
// the comparison of the targets with a reference on the device.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "calls_items.cuh"

namespace calls {

// value_of is the value of update u: 1, 2 or 3, in an order without a pattern.
__device__ __forceinline__ uint32_t value_of(uint64_t u) {
  uint32_t h = static_cast<uint32_t>(u) * 2654435761u;
  h = (h ^ h >> 15) * 2246822519u;
  return 1 + (h >> 16) % 3;
}

// make_values writes the value of the update that position p performs: update p, or
// order[p] where there is an order.
template <typename T>
__device__ __forceinline__ void make_values(T* values, const uint32_t* order,
                                            uint64_t updates) {
  for (uint64_t p = first_item(); p < updates; p += items_apart()) {
    values[p] = T(value_of(order ? order[p] : p));
  }
}

// whole_sums is the number up to which sums of whole numbers do not round.
template <typename T>
__device__ constexpr double whole_sums() {
  return std::is_same<T, float>::value ? double(1ull << FLT_MANT_DIG)
                                       : double(1ull << DBL_MANT_DIG);
}

// close_enough compares one target. Integers must agree modulo their width. Floats
// must agree exactly while the sum is at most 2^p, p the width of the significand:
// up to there no order of additions rounds. Above, a sum of n terms in any order
// may be off by n/(2^p - n) of it, the bound of atomtune.cuh; from 2^p terms on that
// says nothing but that the sum is positive.
template <typename T>
__device__ __forceinline__ bool close_enough(T got, uint64_t want, uint32_t terms) {
  if constexpr (std::is_floating_point<T>::value) {
    constexpr double limit = whole_sums<T>();
    if (double(want) <= limit) return double(got) == double(want);
    if (double(terms) >= limit) return std::isfinite(got) && got > T(0);
    return fabs(double(got) - double(want)) <=
           double(want) * double(terms) / (limit - double(terms));
  } else {
    return got == static_cast<T>(want);
  }
}

// check compares the targets with sum, or with count where sum is null: result[0]
// counts wrong ones, result[1] becomes the least of their numbers. result begins as
// {0, 2^64 - 1}.
template <typename T>
__device__ __forceinline__ void check(const T* A, const uint64_t* sum,
                                      const uint32_t* count, uint64_t bins,
                                      unsigned long long* result) {
  unsigned long long wrong = 0, first = ~0ull;
  for (uint64_t k = first_item(); k < bins; k += items_apart()) {
    if (close_enough(A[k], sum ? sum[k] : count[k], count[k])) continue;
    ++wrong;
    first = min(first, static_cast<unsigned long long>(k));
  }
  if (wrong == 0) return;
  atomicAdd(&result[0], wrong);
  atomicMin(&result[1], first);
}

// state_hash gives target i holding value a number of 64 bits, mixed as by splitmix64.
template <typename T>
__device__ __forceinline__ unsigned long long state_hash(uint32_t i, T value) {
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof value);
  unsigned long long z = bits * 0x9e3779b97f4a7c15ull + i;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

// check_old reports whether the returned values are those of some serial order. In one,
// each target goes from 0 to what it holds now in steps from old to old + value, so
// that over all updates the hashes of the states reached less those of the states
// left telescope: to the hashes of the last states less those of zero. result[0] is
// what remains, 0 where all is right and hardly ever else; it begins as 0.
template <typename T>
__device__ __forceinline__ void check_old(const T* A, const T* old, const uint32_t* index,
                                          const T* values, uint64_t updates,
                                          uint64_t bins, unsigned long long* result) {
  unsigned long long rest = 0;
  for (uint64_t u = first_item(); u < updates; u += items_apart()) {
    const uint32_t i = index[u];
    rest += state_hash(i, T(old[u] + values[u])) - state_hash(i, old[u]);
  }
  for (uint64_t k = first_item(); k < bins; k += items_apart()) {
    const uint32_t i = static_cast<uint32_t>(k);
    rest -= state_hash(i, A[k]) - state_hash(i, T(0));
  }
  if (rest != 0) atomicAdd(&result[0], rest);
}

}  // namespace calls

// CALLS_CHECK names the kernels of a type.
#define CALLS_CHECK(type, T)                                                          \
  extern "C" __global__ void make_values_##type(T* values, const uint32_t* order,     \
                                                uint64_t updates) {                   \
    calls::make_values(values, order, updates);                                       \
  }                                                                                   \
  extern "C" __global__ void check_##type(const T* A, const uint64_t* sum,            \
                                          const uint32_t* count, uint64_t bins,       \
                                          unsigned long long* result) {               \
    calls::check(A, sum, count, bins, result);                                        \
  }                                                                                   \
  extern "C" __global__ void check_old_##type(                                        \
      const T* A, const T* old, const uint32_t* index, const T* values,               \
      uint64_t updates, uint64_t bins, unsigned long long* result) {                  \
    calls::check_old(A, old, index, values, updates, bins, result);                   \
  }
