// Private copies of a range of the targets, for more targets than shared memory holds:
// the grid is split into as many groups of blocks as there are ranges. Each group reads
// all indices, and the values of the updates in its range alone.
#pragma once

#include "atomtune_private.cuh"

namespace atomtune {

// RangedCopies says how copies lie whose blocks hold a range of the targets each. Block
// b of a grid serves range b mod ranges. A grid has at least that many blocks; with a
// multiple of it each group is of the same size.
struct RangedCopies {
  Copies all;       // its bins are all targets
  uint32_t ranges;  // at least 1

  // width is the number of targets of a range, the last of which may have fewer.
  __host__ __device__ uint32_t width() const {
    return all.bins / ranges + (all.bins % ranges != 0 ? 1 : 0);
  }

  // range is how the copies of one range lie.
  __host__ __device__ Copies range() const {
    return {width(), all.number, all.pad, all.by_block};
  }

  // words is the shared memory of a block, in words of the targets' type.
  __host__ __device__ size_t words() const { return range().words(); }

  // share is the caller's group: block b div ranges of the blocks with its range.
  __device__ __forceinline__ Share share() const {
    const unsigned mine = blockIdx.x % ranges;
    return {blockIdx.x / ranges, (gridDim.x - mine + ranges - 1) / ranges};
  }
};

// merges reports whether the lanes of a form do anything together.
template <typename Form>
inline constexpr bool merges = !std::is_same_v<Form, Naive>;

// AddInRange adds the updates of width targets from first on to the array mine.
template <typename Form, typename T>
struct AddInRange {
  T* mine;
  uint32_t first, width;

  static constexpr bool takes_all = false;
  __device__ __forceinline__ bool takes(uint32_t i) const { return i - first < width; }

  template <typename V>
  __device__ __forceinline__ void add(size_t, uint32_t i, V v, unsigned mask,
                                      unsigned draw) const {
    unsigned inside = mask;
    if constexpr (merges<Form>) inside = __ballot_sync(mask, takes(i));
    if (takes(i)) Form::add_to(ArrayTarget<T>{mine}, i - first, v, inside, draw);
  }
};

// private_update with ranges. shared has copies.words() words.
template <typename Form, int Unroll = 1, typename T, typename Index, typename Values>
__device__ __forceinline__ void private_update(T* A, Index index, Values values,
                                               size_t updates, RangedCopies copies,
                                               T* shared) {
  const Copies range = copies.range();
  const uint32_t first = blockIdx.x % copies.ranges * range.bins;
  range.clear(shared);
  for_each_update<Unroll>(
      copies.share(), index, values, updates,
      AddInRange<Form, T>{range.mine(shared), first, range.bins});
  // Words past the last target hold zero, and are not added.
  range.flush(A + first, shared);
}

}  // namespace atomtune
