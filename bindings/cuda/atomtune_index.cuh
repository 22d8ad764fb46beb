// Indices of any integer type, checked while they are read.
#pragma once

#include <limits>

#include "atomtune_stream.cuh"

namespace atomtune {

// ignorable reports whether an index to ignore is one of type I; others match none. -1 is the highest
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

// Below reads indices as they are stored. The update of one that is not below bins, which negative
// ones are not, is not made.
template <typename Stored>
struct Below {
  using Word = Key<Stored>;

  const Stored* index;
  uint32_t bins;  // below no_target

  __device__ __forceinline__ Word load(size_t u) const { return __ldg(index + u); }

  template <int n, typename At>
  __device__ __forceinline__ void load_all(Word (&word)[n], const At& at) const {
#pragma unroll
    for (int k = 0; k < n; ++k) word[k] = load(at(k));
  }

  __device__ __forceinline__ bool plain(Word i) const { return i < bins; }

  __device__ __forceinline__ uint32_t target(Word i) const {
    return plain(i) ? static_cast<uint32_t>(i) : no_target;
  }
};

// below is an index for kernels that leaves out updates of other targets than 0..K-1.
template <typename I>
Below<StoredIndex<I>> below(const I* index, uint64_t K) {
  return {reinterpret_cast<const StoredIndex<I>*>(index), index_limit<I>(K)};
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

  static CheckedIndex of(const CheckedIndex& i) { return i; }

  __device__ __forceinline__ Word load(size_t u) const { return __ldg(index + u); }

  // load_all reads the indices of the updates at(0), at(1) and so on.
  template <int n, typename At>
  __device__ __forceinline__ void load_all(Word (&word)[n], const At& at) const {
#pragma unroll
    for (int k = 0; k < n; ++k) word[k] = load(at(k));
  }

  // plain reports whether an index is a target.
  __device__ __forceinline__ bool plain(Word i) const { return i < bins && i != ignore; }

  __device__ __forceinline__ uint32_t target(Word i) const {
    if (plain(i)) return static_cast<uint32_t>(i);
    if (!(ignores && i == ignore)) *error = 1;
    return no_target;
  }
};

// AnyIndex is a CheckedIndex of any size, which is known at run time, so that one kernel serves all
// types. A word is an index of 32 bits; longer ones that are not targets are replaced.
struct AnyIndex {
  using Word = uint32_t;

  const void* index;
  uint32_t* error;
  uint64_t ignore;
  uint32_t ignore_word, bins;
  uint32_t bytes;    // of an index: 1, 2, 4 or 8
  uint32_t ignores;  // 0 or 1; for a bool nvcc would double each loop

  template <typename Stored>
  static AnyIndex of(const CheckedIndex<Stored>& i) {
    const uint64_t ignore = i.ignore;
    return {i.index, i.error,        ignore, ignore < no_target ? uint32_t(ignore) : no_target,
            i.bins,  sizeof(Stored), i.ignores};
  }

  template <int n, typename At>
  __device__ __forceinline__ void load_all(Word (&word)[n], const At& at) const {
    if (bytes == 4) return load_as<uint32_t>(word, at);
    if (bytes == 8) return load_as<unsigned long long>(word, at);
    if (bytes == 2) return load_as<uint16_t>(word, at);
    load_as<uint8_t>(word, at);
  }
  __device__ __forceinline__ Word load(size_t u) const {
    Word word[1];
    load_all(word, [=](int) { return u; });
    return word[0];
  }

  __device__ __forceinline__ bool plain(Word i) const { return i < bins && i != ignore_word; }

  __device__ __forceinline__ uint32_t target(Word i) const {
    if (plain(i)) return i;
    if (((i ^ ignore_word) | !ignores) != 0) *error = 1;
    return no_target;
  }

 private:
  template <typename I, int n, typename At>
  __device__ __forceinline__ void load_as(Word (&word)[n], const At& at) const {
    I i[n];
#pragma unroll
    for (int k = 0; k < n; ++k) i[k] = __ldg(static_cast<const I*>(index) + at(k));
#pragma unroll
    for (int k = 0; k < n; ++k) {
      if constexpr (sizeof(I) < 8) {
        word[k] = i[k];
      } else {
        const Word other = no_target - (ignore_word == no_target - 1 ? 0 : 1);
        word[k] = i[k] == ignore ? ignore_word : i[k] < no_target ? Word(i[k]) : other;
      }
    }
  }
};

// IndexOf is what kernels read indices of type I by. With ATOMTUNE_ANY_INDEX, in all files of a
// program, it is one for all types: less to compile for who uses several.
#ifdef ATOMTUNE_ANY_INDEX
template <typename I>
using IndexOf = AnyIndex;
#else
template <typename I>
using IndexOf = CheckedIndex<StoredIndex<I>>;
#endif

}  // namespace atomtune
