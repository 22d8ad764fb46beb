// Partition, then private: the updates of a range of targets are brought together by one
// pass over the stream, then each range is added up in shared memory. It pays where the
// targets are beyond L2, so that atomics on them wait for memory.
//
// Five kernels, made of these functions and launched by atomtune_partition_update.cuh:
//
//   count_ranges   how many updates each range has
//   start_ranges   one block: where each range starts
//   split_tiles    writes the updates to their ranges, a tile at a time
//   cut_parts      one block: the ranges in parts, one for each block that adds
//   add_part       adds a part in copies of its range
//
// Blocks are one-dimensional with whole warps.
#pragma once

#include "atomtune_buckets.cuh"
#include "atomtune_scratch.cuh"

namespace atomtune {

// tile_words is the shared memory of split_tiles in words: of each update of a tile its
// target and, unless ones are added, its value, of each range its place in the tile and
// in its bucket.
template <typename T, typename Values>
__host__ __device__ constexpr size_t tile_words(size_t tile, uint32_t ranges) {
  const size_t value = std::is_same_v<Values, Ones> ? 0 : sizeof(T) / sizeof(uint32_t);
  return tile * (1 + value) + 2 * size_t(ranges) + 1 + scan_words;
}

// Tile is the shared memory of split_tiles.
template <typename T>
struct Tile {
  T* value;
  uint32_t *target, *first, *base, *sums;  // first[ranges + 1], base[ranges]
};

// place_ranges turns the counts in tile.first into places in the tile, of which it returns
// the number, and reserves room in the buckets.
template <typename T>
__device__ __forceinline__ uint32_t place_ranges(const Tile<T>& tile, uint32_t* next,
                                                 uint32_t ranges) {
  const Stretch mine = stretch_of(ranges);
  uint32_t sum = 0, all = 0;
  for (uint32_t r = mine.first; r < mine.end; ++r) sum += tile.first[r];
  uint32_t at = exclusive_sum(sum, tile.sums, all);
  for (uint32_t r = mine.first; r < mine.end; ++r) {
    const uint32_t count = tile.first[r];
    tile.first[r] = at;
    at += count;
  }
  if (threadIdx.x == 0) tile.first[ranges] = all;
  __syncthreads();
  for (uint32_t r = threadIdx.x; r < ranges; r += blockDim.x) {
    const uint32_t first = tile.first[r], count = tile.first[r + 1] - first;
    if (count > 0) tile.base[r] = atomic_add<uint32_t>(next + r, count) - first;
  }
  return all;
}

// split_tile writes the updates from first on, Items of each thread, to their ranges. The
// order within a range is any. Where there are fewer, the last one is loaded in place of those
// that are not there, so that all loads of a thread are under way together.
template <int Items, typename T, typename Index, typename Values>
__device__ __forceinline__ void split_tile(const Buckets<T>& buckets, Index index,
                                           Values values, size_t first, size_t updates,
                                           const Partition& partition,
                                           const Tile<T>& tile) {
  using Value = decltype(values[first]);
  constexpr bool loaded = !is_one<Value>;
  const uint32_t ranges = partition.ranges(), size = Items * blockDim.x;
  const uint32_t there = updates - first < size ? uint32_t(updates - first) : size;
  const auto place = [=](int k) { return threadIdx.x + uint32_t(k) * blockDim.x; };
  const auto at = [=](int k) { return first + (place(k) < there ? place(k) : there - 1); };
  for (uint32_t r = threadIdx.x; r < ranges; r += blockDim.x) tile.first[r] = 0;
  IndexWord<Index> word[Items];
  uint32_t i[Items], rank[Items];
  [[maybe_unused]] Value v[Items];
#pragma unroll
  for (int k = 0; k < Items; ++k) v[k] = values[at(k)];
  load_indices(index, word, at);
#pragma unroll
  for (int k = 0; k < Items; ++k) {
    i[k] = place(k) < there ? target_of(index, word[k]) : no_target;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < Items; ++k) {
    if (i[k] == no_target) continue;
    rank[k] = atomic_add<uint32_t>(tile.first + (i[k] >> partition.shift), One());
  }
  __syncthreads();
  const uint32_t all = place_ranges(tile, buckets.next, ranges);
#pragma unroll
  for (int k = 0; k < Items; ++k) {
    if (i[k] == no_target) continue;
    const uint32_t p = tile.first[i[k] >> partition.shift] + rank[k];
    tile.target[p] = i[k];
    if constexpr (loaded) tile.value[p] = number_for(values, i[k], v[k]);
  }
  __syncthreads();
  for (uint32_t p = threadIdx.x; p < all; p += blockDim.x) {
    const uint32_t target = tile.target[p], at = tile.base[target >> partition.shift] + p;
    buckets.place[at] = uint16_t(target & (partition.width() - 1));
    if constexpr (loaded) buckets.value[at] = tile.value[p];
  }
  __syncthreads();
}

// split_tiles does so for the whole stream, the blocks in turns. shared has
// tile_words<T, Values>(Items * blockDim.x, ranges) words and is aligned to 8.
template <int Items, typename T, typename Index, typename Values>
__device__ __forceinline__ void split_tiles(Buckets<T> buckets, Index index, Values given,
                                            size_t updates, Partition partition,
                                            void* shared) {
  const auto values = prepared(given);
  const uint32_t ranges = partition.ranges();
  const size_t size = size_t(Items) * blockDim.x;
  T* const value = static_cast<T*>(shared);
  uint32_t* const target =
      static_cast<uint32_t*>(shared) + tile_words<T, Values>(size, 0) - size - 1 - scan_words;
  uint32_t* const first = target + size;
  const Tile<T> tile{value, target, first, first + ranges + 1, first + 2 * ranges + 1};
  for (size_t at = blockIdx.x * size; at < updates; at += gridDim.x * size) {
    split_tile<Items>(buckets, index, values, at, updates, partition, tile);
  }
}

// Four are neighbours in memory that a thread loads together.
template <typename T>
struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) Four {
  T of[4];
};

// add_places adds the updates of a part to the copy mine.
template <typename Values, typename T>
__device__ __forceinline__ void add_places(T* mine, const Buckets<T>& buckets, Part part) {
  constexpr bool loaded = !std::is_same_v<Values, Ones>;
  const auto* const places = reinterpret_cast<const Four<uint16_t>*>(buckets.place + part.begin);
  [[maybe_unused]] const auto* const values =
      reinterpret_cast<const Four<T>*>(buckets.value + part.begin);
  const auto add = [&](auto turns, uint32_t q) {
    constexpr int together = decltype(turns)::value;
    Four<uint16_t> place[together];
    [[maybe_unused]] Four<T> value[together];
#pragma unroll
    for (int k = 0; k < together; ++k) place[k] = places[q + k * blockDim.x];
    if constexpr (loaded) {
#pragma unroll
      for (int k = 0; k < together; ++k) value[k] = values[q + k * blockDim.x];
    }
#pragma unroll
    for (int k = 0; k < 4 * together; ++k) {
      T* const target = mine + place[k / 4].of[k % 4];
      if constexpr (loaded) {
        atomic_add<T>(target, value[k / 4].of[k % 4]);
      } else {
        atomic_add<T>(target, One());
      }
    }
  };
  const uint32_t fours = part.updates / 4;
  uint32_t q = threadIdx.x;
  for (; q + 3 * blockDim.x < fours; q += 4 * blockDim.x) {
    add(std::integral_constant<int, 4>(), q);
  }
  for (; q < fours; q += blockDim.x) add(std::integral_constant<int, 1>(), q);
  if (threadIdx.x < part.updates % 4) {
    const uint32_t u = part.begin + 4 * fours + threadIdx.x;
    if constexpr (loaded) {
      atomic_add<T>(mine + buckets.place[u], buckets.value[u]);
    } else {
      atomic_add<T>(mine + buckets.place[u], One());
    }
  }
}

// add_part adds a part to the targets A. With Finish::store they are zero before. shared has
// partition.range().words() words. The whole block calls it.
template <typename Values, typename T>
__device__ __forceinline__ void add_part(T* A, const Buckets<T>& buckets,
                                         const Partition& partition, Part part, Finish finish,
                                         T* shared) {
  const Copies copies = partition.range();
  copies.clear(shared);
  add_places<Values>(copies.mine(shared), buckets, part);
  T* const targets = A + (size_t(part.range) << partition.shift);
  if (part.whole == 0) {
    // Words past the last target hold zero, and are not added.
    copies.flush(targets, shared);
    return;
  }
  __syncthreads();
  const uint32_t left = partition.bins - (part.range << partition.shift);
  const uint32_t count = left < partition.width() ? left : partition.width();
  for (uint32_t k = threadIdx.x; k < count; k += blockDim.x) {
    T sum = T(0);
    for (uint32_t c = 0; c < copies.number; ++c) {
      sum = plus(sum, shared[c * uint32_t(copies.stride()) + k]);
    }
    if (finish == Finish::store) {
      targets[k] = sum;
    } else if (sum != T(0)) {
      targets[k] = plus(targets[k], sum);
    }
  }
}

// add_parts adds the parts of the list: a block that of its own number first, then what
// *taken says, which is zero before. The next number is asked for ahead of each part.
template <typename Values, typename T>
__device__ __forceinline__ void add_parts(T* A, Buckets<T> buckets, Partition partition,
                                          const Part* list, uint32_t number, uint32_t* taken,
                                          Finish finish, T* shared, uint32_t* next) {
  for (uint32_t k = blockIdx.x; k < number; k = *next) {
    uint32_t after = 0;
    if (threadIdx.x == 0) after = gridDim.x + atomic_add<uint32_t>(taken, One());
    add_part<Values>(A, buckets, partition, list[k], finish, shared);
    __syncthreads();
    if (threadIdx.x == 0) *next = after;
    __syncthreads();
  }
}

}  // namespace atomtune
