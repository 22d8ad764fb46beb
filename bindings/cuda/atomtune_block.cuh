// sr by whole blocks: each warp adds its runs as ScanReduce does, but hands over its first and its
// last, which may be parts of a longer one, and the block's first warp adds those up once more. It
// pays where runs are longer than a warp and an atomic is a loop of compare-and-swap; elsewhere the
// barrier in each turn costs more than it saves.
#pragma once

#include "atomtune_stream.cuh"

namespace atomtune {

// RunRecords are the targets and sums that warps hand over in a turn, two of each, to the first of
// 16 warps. There are two sets, so that one barrier in each turn is enough: whoever has passed
// the next one knows that the records before it have been read.
template <typename T>
struct RunRecords {
  static constexpr unsigned warps = 16, number = 2 * warps;

  uint32_t target[2][number];
  T sum[2][number];

  // bytes is the shared memory of a block of so many threads.
  __host__ __device__ static constexpr size_t bytes(unsigned threads) {
    return (threads + 32 * warps - 1) / (32 * warps) * sizeof(RunRecords);
  }
};

// HandedRuns are the places of a warp's records, the first run's and the last one's.
template <typename T>
struct HandedRuns {
  uint32_t* target;
  T* sum;

  __device__ __forceinline__ void hand(unsigned place, uint32_t i, T v) const {
    target[place] = i;
    sum[place] = v;
  }
};

// add_sr_inside is add_sr_to that hands over the runs at both ends of the warp. A run of the whole
// warp is its first and, with nothing to add, its last, so that the records of one run stand
// side by side.
template <typename T, typename Target, typename V>
__device__ __forceinline__ void add_sr_inside(Target target, uint32_t i, V v, unsigned mask,
                                              HandedRuns<T> to) {
  const bool joins = joins_left(mask, i);
  const unsigned joined = __ballot_sync(mask, joins);
  if (!has_run(joined, sr_threshold - 1)) {
    target.add(i, v);
    return;
  }
  const T sum = sum_runs<T>(mask, joined, v);
  if (joins) return;
  const unsigned lane = lane_id();
  const bool first = lane == 0, last = run_end(joined, lane) == 32;
  if (first) to.hand(0, i, sum);
  if (last) to.hand(1, i, first ? T(0) : sum);
  if (!first && !last) target.add(i, sum);
}

// sr_block_update applies every update to A: A[index[u]] += values[u]. shared has
// RunRecords<T>::bytes(blockDim.x) bytes. Targets are below 2^32 - 1. Blocks are one-dimensional
// with whole warps; any grid is right.
template <typename T, typename Index, typename Values>
__device__ __forceinline__ void sr_block_update(T* A, Index index, Values values, size_t updates,
                                                void* shared) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned own = 2 * warp % RunRecords<T>::number, all = 2 * (blockDim.x / 32 - warp);
  RunRecords<T>& records = static_cast<RunRecords<T>*>(shared)[warp / RunRecords<T>::warps];
  const GuardedTarget<T> target{A};
  unsigned set = 0;
  // All warps of a block make its turns, since they meet in each.
  for (size_t base = size_t(blockIdx.x) * blockDim.x; base < updates;
       base += size_t(gridDim.x) * blockDim.x, set ^= 1) {
    const HandedRuns<T> to{records.target[set] + own, records.sum[set] + own};
    if (lane < 2) to.target[lane] = no_target;
    __syncwarp(full_warp);
    const size_t u = base + threadIdx.x;
    const unsigned mask = __ballot_sync(full_warp, u < updates);
    if (u < updates) add_sr_inside(target, target_at(index, u), values[u], mask, to);
    __syncthreads();
    if (own != 0) continue;
    const uint32_t i = lane < all ? to.target[lane] : no_target;
    const unsigned handed = __ballot_sync(full_warp, i != no_target);
    if (i != no_target) add_sr_to(target, i, to.sum[lane], handed);
  }
}

}  // namespace atomtune
