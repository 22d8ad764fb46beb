// Indices of any integer type, checked while they are read.
#pragma once

#include "atomtune_stream.cuh"

namespace atomtune {

// CheckedIndex reads indices of type I. One that is ignored, or that is not below bins, says
// no_target, and its update is not made. Of the latter a thread keeps only whether there was
// one: the loop has no branch for it, and *error is set to 1 behind the loop.
template <typename I>
struct CheckedIndex {
  static_assert(std::is_integral_v<I> && (sizeof(I) == 4 || sizeof(I) == 8),
                "indices are integers of 32 or 64 bits");
  using Word = Key<I>;

  const Word* index;
  uint32_t* error;
  uint32_t bins;   // below no_target
  Word ignore;     // all ones where none is ignored, which no target is
  Word silent;     // no error though no target: the ignored one, or 0, which is one
  bool all_wrong;  // there is no target, and none is ignored

  CheckedIndex(const I* indices, uint32_t* word, uint32_t targets)
      : index(reinterpret_cast<const Word*>(indices)), error(word), bins(targets),
        ignore(~Word(0)), silent(0), all_wrong(targets == 0) {}
  CheckedIndex(const I* indices, uint32_t* word, uint32_t targets, int64_t ignored)
      : index(reinterpret_cast<const Word*>(indices)), error(word), bins(targets),
        ignore(static_cast<Word>(ignored)), silent(ignore), all_wrong(false) {}

  __device__ __forceinline__ Word load(size_t u) const { return __ldg(index + u); }

  __device__ __forceinline__ uint32_t target(Word i, bool& wrong) const {
    const bool taken = i < bins && i != ignore;
    wrong = wrong || (!taken && i != silent);
    return taken ? static_cast<uint32_t>(i) : no_target;
  }

  __device__ __forceinline__ void report(bool wrong) const {
    if (wrong || all_wrong) *error = 1;
  }
};

}  // namespace atomtune
