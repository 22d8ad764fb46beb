// The buckets of a partition (atomtune_partition.cuh): how many updates each range of
// targets has, where they go, and in which parts they are added.
#pragma once

#include "atomtune_private.cuh"

namespace atomtune {

// Partition says how targets fall into ranges, and how many copies of one a block has.
struct Partition {
  uint32_t bins;
  unsigned shift;   // a range has 2^shift targets, 2^6 to 2^16
  uint32_t copies;  // thread mod copies is a thread's copy

  __host__ __device__ uint32_t width() const { return 1u << shift; }
  __host__ __device__ uint32_t ranges() const {
    return (bins >> shift) + ((bins & (width() - 1)) != 0 ? 1 : 0);
  }

  // range is how the copies of a range lie, a word apart where there are several.
  __host__ __device__ Copies range() const {
    return {width(), copies, copies > 1 ? 1u : 0u, false};
  }
};

// bucket_step is the number of updates of which a range's start is a multiple.
inline constexpr uint32_t bucket_step = 64;

// Buckets are the updates by ranges: the number of each target in its range, and its
// value. Those of range r stand from start[r] to next[r], the first place that is free.
template <typename T>
struct Buckets {
  uint16_t* place;
  T* value;         // not read or written where ones are added
  uint32_t* count;  // of ranges, zero before they are counted
  uint32_t* start;
  uint32_t* next;
};

// Part is a stretch of a range's updates that one block adds.
struct Part {
  uint32_t range, begin, updates;
  uint32_t whole;  // not 0: the range has no other part
};

// scan_words is the shared memory of exclusive_sum.
inline constexpr uint32_t scan_words = 33;

__device__ __forceinline__ uint32_t sum_lanes_up_to(uint32_t v) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const uint32_t other = __shfl_up_sync(full_warp, v, distance);
    if (lane >= distance) v += other;
  }
  return v;
}

// exclusive_sum is the sum of v over the threads of the block below the caller; all gets
// that over all of them. The whole block calls it.
__device__ __forceinline__ uint32_t exclusive_sum(uint32_t v, uint32_t* sums,
                                                  uint32_t& all) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t inclusive = sum_lanes_up_to(v);
  if (lane == 31) sums[warp] = inclusive;
  __syncthreads();
  if (warp == 0) {
    const uint32_t mine = lane < blockDim.x / 32 ? sums[lane] : 0;
    const uint32_t up_to = sum_lanes_up_to(mine);
    sums[lane] = up_to - mine;
    if (lane == 31) sums[32] = up_to;
  }
  __syncthreads();
  all = sums[32];
  return sums[warp] + inclusive - v;
}

// Stretch is the caller's equal share of items, side by side.
struct Stretch {
  uint32_t first, end;
};

__device__ __forceinline__ Stretch stretch_of(uint32_t items) {
  const uint32_t each = (items + blockDim.x - 1) / blockDim.x, first = threadIdx.x * each;
  return {first < items ? first : items, first + each < items ? first + each : items};
}

// CountRange counts updates by ranges, those of no_target not.
template <bool Checked>
struct CountRange {
  uint32_t* count;
  unsigned shift;

  static constexpr bool takes_all = false;
  __device__ __forceinline__ bool takes(uint32_t) const { return false; }
  __device__ __forceinline__ void add(size_t, uint32_t i, One, unsigned, unsigned) const {
    if (!Checked || i != no_target) atomic_add<uint32_t>(count + (i >> shift), One());
  }
};

// count_ranges adds the number of each range's updates to count. shared has ranges words.
template <typename Index>
__device__ __forceinline__ void count_ranges(uint32_t* count, Index index, size_t updates,
                                             Partition partition, uint32_t* shared) {
  const Copies all{partition.ranges(), 1, 0, false};
  all.clear(shared);
  for_each_update<4>(whole_grid(), index, Ones(), updates,
                     CountRange<is_checked<Index>>{shared, partition.shift});
  all.flush(count, shared);
}

// for_each_range calls body(r, below) for each range, one of each thread at a time, with
// the sum of amount over the ranges below r. It returns that over all. The whole block
// calls it; sums has scan_words words.
template <typename Amount, typename Body>
__device__ __forceinline__ uint32_t for_each_range(uint32_t ranges, uint32_t* sums,
                                                   Amount amount, Body body) {
  uint32_t below = 0;
  for (uint32_t first = 0; first < ranges; first += blockDim.x) {
    const uint32_t r = first + threadIdx.x;
    uint32_t all = 0;
    const uint32_t sum = exclusive_sum(r < ranges ? amount(r) : 0, sums, all);
    if (r < ranges) body(r, below + sum);
    below += all;
    __syncthreads();
  }
  return below;
}

// start_ranges sets where the ranges start. One block; sums has scan_words words.
template <typename T>
__device__ __forceinline__ void start_ranges(Buckets<T> buckets, uint32_t ranges,
                                             uint32_t* sums) {
  for_each_range(
      ranges, sums,
      [&](uint32_t r) {
        return (buckets.count[r] + bucket_step - 1) / bucket_step * bucket_step;
      },
      [&](uint32_t r, uint32_t below) { buckets.start[r] = buckets.next[r] = below; });
}

// Cut says how ranges are cut. Both numbers are multiples of bucket_step.
struct Cut {
  uint32_t whole;  // the most updates of a range that is one part
  uint32_t part;   // the most of a part of any other
};

// cut_parts cuts the ranges into parts; a range without updates has none. One block; sums
// has scan_words words.
template <typename T>
__device__ __forceinline__ void cut_parts(Buckets<T> buckets, uint32_t ranges,
                                          Cut cut, Part* list, uint32_t* number,
                                          uint32_t* sums) {
  const auto updates = [&](uint32_t r) { return buckets.next[r] - buckets.start[r]; };
  const auto most = [&](uint32_t n) { return n <= cut.whole ? cut.whole : cut.part; };
  const uint32_t all = for_each_range(
      ranges, sums,
      [&](uint32_t r) {
        const uint32_t n = updates(r), of = most(n);
        return (n + of - 1) / of;
      },
      [&](uint32_t r, uint32_t at) {
        const uint32_t n = updates(r), of = most(n);
        for (uint32_t done = 0; done < n; done += of) {
          const uint32_t left = n - done;
          list[at++] = {r, buckets.start[r] + done, left < of ? left : of, n <= of};
        }
      });
  if (threadIdx.x == 0) *number = all;
}

}  // namespace atomtune
