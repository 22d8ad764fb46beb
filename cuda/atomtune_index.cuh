// Indices of any integer type, checked while they are read.
#pragma once

#include <limits>

#include "atomtune_stream.cuh"

namespace atomtune {

// ignorable tells whether an index to ignore is one of type I: others stand for none. -1 is the highest
// of an unsigned type too.
template <typename I>
constexpr bool ignorable(int64_t ignore) {
  return ignore == -1 || static_cast<int64_t>(static_cast<I>(ignore)) == ignore;
}

// StoredIndex is the unsigned type of the size of I, so that one kernel serves both.
template <typename I>
using StoredIndex = std::conditional_t<sizeof(I) == 1, uint8_t,
                                       std::conditional_t<sizeof(I) == 2, uint16_t, Key<I>>>;

// index_limit is how many targets indices of type I can name, K at most.
template <typename I>
uint32_t index_limit(uint64_t K) {
  static_assert(std::is_integral_v<I>, "indices are integers");
  constexpr uint64_t last = uint64_t(std::numeric_limits<I>::max());
  return uint32_t(K <= last ? K : last + 1);
}

// CheckedIndex reads indices as they are stored. One that is ignored, or that is not below bins,
// which negative ones are not, says no_target, and its update is not made. The latter sets *error
// to 1.
template <typename Stored>
struct CheckedIndex {
  static_assert(std::is_same_v<Stored, StoredIndex<Stored>>, "a StoredIndex");
  using Word = Key<Stored>;

  const Stored* index;
  uint32_t* error;
  Word ignore;    // all ones where none is ignored, which no target is
  uint32_t bins;  // below no_target
  bool ignores;

  __device__ __forceinline__ Word load(size_t u) const { return __ldg(index + u); }

  // plain tells whether an index is a target.
  __device__ __forceinline__ bool plain(Word i) const { return i < bins && i != ignore; }

  __device__ __forceinline__ uint32_t target(Word i) const {
    if (plain(i)) return static_cast<uint32_t>(i);
    if (!(ignores && i == ignore)) *error = 1;
    return no_target;
  }
};

}  // namespace atomtune
