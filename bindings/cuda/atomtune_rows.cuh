// Updates of rows: each index updates width consecutive targets,
//
//   A[index[u] * width + j] += values[u * width + j]   for 0 <= j < width,
//
// as gradients of embeddings, messages of a graph network and gradients of splats do, or lowers
// or raises them where the targets are Extremes (atomtune_row_piece.cuh).
//
// A row is cut into pieces, and a group of lanes holds the pieces of a row, a power of two of
// lanes up to the warp: rows of few pieces share a warp. Each warp takes a stretch of
// neighbouring updates. Three things keep updates from meeting on a target:
//
//   runs    a group keeps the sum of the row that it had last, and adds it to the target when
//           another row comes. Where equal indices are neighbours, a run is added once.
//   hot     frequent rows, by their tags in a direct-mapped table, have sums in shared memory,
//           of each warp its own, which take no atomics. At the end a block adds the sums of
//           its warps and each row once to its target.
//   order   the updates may be read in an order that brings equal indices together: then runs
//           are long (atomtune_rows_sort.cuh).
//
// What reaches the target are vector reductions where the hardware has them. The header has the
// loop of a kernel; atomtune_rows_update.cuh has the call.
#pragma once

#include <cmath>

#include "atomtune_hot_tags.cuh"
#include "atomtune_index.cuh"
#include "atomtune_row_piece.cuh"
#include "atomtune_sample.cuh"

namespace atomtune {

// RowIndex is a CheckedIndex of any integer type. A row takes one index, so that to find out its
// size costs nothing, and one kernel serves all types.
struct RowIndex {
  const void* index;
  uint32_t* error;
  uint64_t ignore;
  uint32_t bins;
  uint32_t bytes;    // of an index: 1, 2, 4 or 8
  uint32_t ignores;  // 0 or 1; for a bool nvcc would double each loop
  uint32_t wraps = 0;  // likewise: an index below 0 counts from the end

  template <typename I>
  static RowIndex of(const CheckedIndex<I>& i, bool wraps) {
    return {i.index, i.error, i.ignore, i.bins, sizeof(I), i.ignores, wraps};
  }

  // load reads the indices of n updates from u on, step apart, of which the first number are there.
  template <int n>
  __device__ __forceinline__ void load(uint64_t (&word)[n], size_t u, uint32_t step,
                                       uint32_t number) const {
    if (bytes == 8) return load_as<unsigned long long>(word, u, step, number);
    if (bytes == 4) return load_as<uint32_t>(word, u, step, number);
    if (bytes == 2) return load_as<uint16_t>(word, u, step, number);
    load_as<uint8_t>(word, u, step, number);
  }
  __device__ __forceinline__ uint64_t load(size_t u) const {
    uint64_t word[1];
    load(word, u, 0, 1);
    return word[0];
  }

  __device__ __forceinline__ uint32_t target(uint64_t i) const {
    if (i < bins && i != ignore) return static_cast<uint32_t>(i);
    if (i == ignore && ignores) return no_target;
    const uint64_t from_end = (i + bins) & (~uint64_t(0) >> (64 - 8 * bytes));
    if (wraps && from_end < bins) return static_cast<uint32_t>(from_end);
    *error = 1;
    return no_target;
  }

 private:
  template <typename I, int n>
  __device__ __forceinline__ void load_as(uint64_t (&word)[n], size_t u, uint32_t step,
                                          uint32_t number) const {
    const char* at = static_cast<const char*>(index) + u * bytes;
#pragma unroll
    for (uint32_t t = 0; t < n; ++t, at += step * bytes) {
      if (t < number) word[t] = __ldg(reinterpret_cast<const I*>(at));
    }
  }
};

// RowTable says which rows have sums in shared memory. In a block's shared memory the tags come
// first, then the sums of each warp, slots rows each.
struct RowTable {
  uint32_t slots;        // a power of two from 2 on; 0: no row has sums
  uint32_t samples;      // of indices by which the block finds the tags (HotSample); 0: a call's sample tells
  const uint32_t* tags;  // slots of them in global memory, where they are known; or nullptr
  uint32_t worth = 0;    // top of a call's sample (feature_top) from which on a table gains

  // tag_words is the room of the tags, a multiple of 16 bytes.
  __host__ __device__ uint32_t tag_words() const { return (slots + 3) / 4 * 4; }
  __host__ __device__ uint32_t warp_sums(uint32_t columns) const { return slots * columns; }

  // bytes is the shared memory of a block of so many warps that handles so many columns, each sum
  // of so many bytes.
  __host__ __device__ size_t bytes(uint32_t columns, unsigned warps, size_t sum) const {
    const size_t sums = sum * warp_sums(columns) * warps;
    const size_t sampling = tags != nullptr ? 0
                            : samples > 0   ? HotSample{slots, samples}.bytes(1)
                                            : sampling::counter_bytes;
    return sizeof(uint32_t) * tag_words() + (sums > sampling ? sums : sampling);
  }
};

namespace rows {

// A row in the table has 1 of 256 updates at least: fewer do not hold others up.
inline constexpr uint32_t samples = 2048, least_samples = 8, most_slots = 1024, warp_bytes = 4096;
inline constexpr unsigned most_threads = 1024, few_threads = 256;

// sm_threads is how many threads an SM holds (CUDA C++ Programming Guide, compute capabilities).
inline constexpr int sm_threads =
    architecture == 750 ? 1024
    : architecture == 860 || architecture == 870 || architecture == 890 || architecture >= 1100
        ? 1536
        : 2048;

// registers is how many a thread has at most, by the bytes of a piece of sums: with a table so
// that one block of most_threads fits into an SM, or two where that costs little, else so that
// as many blocks of few_threads fit as hide the latency of memory. Fewer than all threads of an
// SM need make no room.
template <bool hot>
constexpr int registers(size_t bytes) {
  if (hot) return sm_threads < 2048 || bytes > 8 ? 64 : bytes > 4 ? 48 : 32;
  constexpr int least = 65536 / sm_threads / 8 * 8;
  const int most = bytes > 16 ? 56 : bytes > 8 ? 48 : bytes > 4 ? 40 : 32;
  return most > least ? most : least;
}

// slots_for is how many rows of so many columns have sums of so many bytes in a warp's share by
// default.
inline uint32_t slots_for(uint32_t columns, size_t sum) {
  uint32_t slots = 2;
  while (slots < most_slots && 2 * slots * columns * sum <= warp_bytes) slots *= 2;
  return slots;
}

// worth_of is RowTable::worth of a call. A row with a share p of the updates is in 32 (1 - (1-p)^32) of the 32 warps
// that decide. A table gains where additions to a row take longer, one after the other, than the table: from
// 24,000 / (5 + sectors of a row) on, on an H200; and one row of 128 updates holds none up.
inline uint32_t worth_of(uint64_t updates, uint64_t row_bytes) {
  const double alone = 24000 / (5 + double(row_bytes) / 32) / double(updates);
  return uint32_t(32 - 32 * std::exp(-32 * (alone > 1.0 / 128 ? alone : 1.0 / 128)));
}

// widest is the number of elements in a piece that is loaded and added 16 bytes at a time. Values
// that are computed come one by one.
template <typename T, typename Values>
inline constexpr int widest =
    InMemory<Values>::bytes == 0 ? 1
                           : 16 / (int(sizeof(Element<T>)) > InMemory<Values>::bytes ? int(sizeof(Element<T>))
                                                                               : InMemory<Values>::bytes);

// columns_of is how many columns a block handles at most.
template <typename T, typename Values>
uint32_t columns_of(uint32_t width) {
  constexpr uint32_t most = 32 * widest<T, Values>;
  return width < most ? width : most;
}

// warps_for is how many warps a block of at most so many bytes of shared memory has; 0: none fits.
inline unsigned warps_for(const RowTable& table, uint32_t columns, size_t sum, size_t most) {
  unsigned warps = most_threads / 32;
  while (warps > 0 && table.bytes(columns, warps, sum) > most) --warps;
  return warps;
}

}  // namespace rows

// Rows are the updates of a call. Values are Loaded or Widened numbers, or computed ones. With an
// order, update u has the values at order[u], while its index stands at u.
template <typename T, typename V>
struct Rows {
  using Target = T;
  using Values = V;
  using Sum = SumOf<T>;

  Element<T>* A;
  RowIndex index;
  Values values;
  const uint32_t* order;  // or nullptr, as with a table
  size_t updates;
  uint32_t width;
  size_t elements;  // of A

  __device__ __forceinline__ Bounds<Element<T>> bounds() const { return {A, A + elements}; }
};

namespace rows {

// Stretch is what a warp of the grid takes of the updates: whole tiles, as even as they go.
struct Stretch {
  size_t first, last;
};

__device__ __forceinline__ Stretch stretch_of(size_t updates, unsigned tile_bits) {
  const unsigned warps = blockDim.x / 32;
  const size_t all = size_t(gridDim.x) * warps;
  const size_t tiles = (updates + (1u << tile_bits) - 1) >> tile_bits;
  const size_t warp = size_t(blockIdx.x) * warps + threadIdx.x / 32;
  const size_t first = tiles * warp / all << tile_bits;
  const size_t last = tiles * (warp + 1) / all << tile_bits;
  return {first, last < updates ? last : updates};
}

// lane_bits is the binary logarithm of the lanes of a group: the least that hold a row of pieces
// of so many elements, the warp at most.
__host__ __device__ inline unsigned lane_bits(uint32_t width, uint32_t piece) {
  const uint32_t last = (width - 1) / piece;
  return (last > 0) + (last > 1) + (last > 3) + (last > 7) + (last > 15);
}

// Columns are those of a block: a piece of V for each lane of a group, or what is left of the
// width.
template <int V>
struct Columns {
  uint32_t width, first, number;
  unsigned bits;  // lane_bits

  static __device__ __forceinline__ Columns of(uint32_t width) {
    const unsigned bits = lane_bits(width, V);
    const uint32_t most = uint32_t(V) << bits, first = blockIdx.y * most, left = width - first;
    return {width, first, left < most ? left : most, bits};
  }
  __device__ __forceinline__ unsigned lanes() const { return 1u << bits; }
  __device__ __forceinline__ unsigned groups() const { return 32u >> bits; }
  // rounds is how many turns of all groups so many updates take.
  __device__ __forceinline__ size_t rounds(size_t updates) const {
    return (updates + groups() - 1) >> (5 - bits);
  }
  // group is that of a lane in its warp.
  __device__ __forceinline__ unsigned group(unsigned lane) const { return lane >> bits; }
  // mine is where the caller's piece begins, counted from first, and has whether it has one.
  __device__ __forceinline__ uint32_t mine() const { return (threadIdx.x & (lanes() - 1)) * V; }
  __device__ __forceinline__ uint32_t column() const { return first + mine(); }
  __device__ __forceinline__ bool has() const { return column() < width; }
};

// Sum is the row that a group had last, and the sum of its updates since.
template <typename T, int V, bool hot>
struct Sum {
  Element<T>* A;
  Columns<V> columns;
  Bounds<Element<T>> bounds;
  const uint32_t* tags = nullptr;  // where rows are hot, in shared memory, like sums, which are the caller's
  SumOf<T>* sums = nullptr;
  unsigned shift = 0;
  uint32_t row = no_target;
  Piece<V, SumOf<T>> piece = {};

  // take adds a row of values to the sum. All lanes of the warp call it together.
  __device__ __forceinline__ void take(uint32_t next, const Piece<V, SumOf<T>>& values) {
    const bool other = next != row;
    if (hot && tags != nullptr) {
      if (__any_sync(full_warp, other)) release(other);
    } else if (other) {
      release(true);
    }
    if (other) piece.clear();
    piece.add(values);
    row = next;
  }

  // release adds the sums of groups that are done with their row to where they belong. With
  // a table the whole warp calls it.
  __device__ __forceinline__ void release(bool done) {
    done = done && row != no_target;
    bool hit = false;
    if (hot && tags != nullptr) {
      const uint32_t slot = find_slot(tags, row, shift);
      hit = done && tags[slot] == row;
      if (__any_sync(full_warp, hit)) add_hits(hit, slot);
    }
    if (done && !hit && columns.has()) {
      add_piece<T>(A + size_t(row) * columns.width + columns.column(), piece, bounds);
    }
  }

  // add_hits adds to the sums in shared memory. Groups that hit the same slot are added to each
  // other first; of those that are left the first of each slot goes on, then the next.
  __device__ __forceinline__ void add_hits(bool hit, uint32_t slot) {
    hit = join(hit, slot);
    while (true) {
      bool first = hit;
      if (columns.groups() > 1) {
        const unsigned same = __match_any_sync(full_warp, hit ? slot : no_target);
        first = hit && columns.group(threadIdx.x % 32) ==
                           columns.group(unsigned(__ffs(int(same)) - 1));
      }
      if (first) add_hit(slot);
      if (columns.groups() == 1) return;
      hit = hit && !first;
      __syncwarp(full_warp);
      if (!__any_sync(full_warp, hit)) return;
    }
  }

  // join has the lower of two groups take over the sum of the other, at distances that
  // double, where both hit the same slot. It returns whether the caller still has one.
  __device__ __forceinline__ bool join(bool hit, uint32_t slot) {
#pragma unroll 1
    for (unsigned distance = columns.lanes(); distance < 32; distance *= 2) {
      const uint32_t mine = hit ? slot : no_target;
      const bool same = __shfl_xor_sync(full_warp, mine, int(distance)) == mine && hit;
      const bool upper = threadIdx.x & distance;
#pragma unroll
      for (int e = 0; e < V; ++e) {
        const SumOf<T> x = __shfl_xor_sync(full_warp, piece.element[e], int(distance));
        if (same && !upper) piece.element[e] = plus(piece.element[e], x);
      }
      if (same && upper) hit = false;
    }
    return hit;
  }

  __device__ __forceinline__ void add_hit(uint32_t slot) {
    if (columns.has()) sums_at<V>(sums + slot * columns.number)->add(piece);
  }
};

// Turns are the updates of a group that are under way together: their indices as they stand, and
// the caller's pieces. No load waits for another, but those of values for their places.
template <int V, bool hot, typename Call>
struct Turns {
  static constexpr int bits = V <= 4 ? 2 : 1, most = 1 << bits;
  using Sum = typename Call::Sum;
  uint64_t index[most];
  Piece<V, Sum> values[most];
  uint32_t number;  // of those that are there, the first

  // load begins with update u. The updates are as far apart as the warp has groups, and end is
  // behind the last.
  __device__ __forceinline__ void load(const Call& call, size_t u, size_t end,
                                       const Columns<V>& columns) {
    uint32_t step = columns.groups();
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(step));  // its multiples are not worth registers all along
#endif
    const size_t left = u < end ? columns.rounds(end - u) : 0;
    number = left < most ? uint32_t(left) : most;
    call.index.load(index, u, step, number);
    const bool ordered = !hot && call.order != nullptr;
    uint32_t place[most];  // from u on, or from 0 with an order
#pragma unroll
    for (uint32_t t = 0; t < most; ++t) {
      place[t] = t * step;
      if (ordered && t < number) place[t] = __ldg(call.order + u + t * step);
    }
    const size_t first = (ordered ? 0 : u * call.width) + columns.column();
#pragma unroll
    for (uint32_t t = 0; t < most; ++t) {
      values[t].clear();
      if (t >= number || !columns.has()) continue;
      values[t] = load_piece<V, Sum>(call.values, first + size_t(place[t]) * call.width);
    }
  }
  __device__ __forceinline__ uint32_t row(const RowIndex& of, uint32_t t) const {
    return t < number ? of.target(index[t]) : no_target;
  }
};

// tag_others gives rows of the sample whose slots others have the next one that is empty. shared is as
// sample_hot left it, after a barrier. The whole block calls it.
__device__ __forceinline__ void tag_others(const HotSample& sample, const RowIndex& index,
                                           size_t updates, uint32_t* tags, void* shared) {
  using Offer = unsigned long long;
  const unsigned shift = hash_shift(sample.slots);
  const OwnSlots all{0, sample.slots, shift, hash_shift(HotSample::counters(sample.slots))};
  Offer* const best = static_cast<Offer*>(shared);
  const uint32_t* const count = reinterpret_cast<uint32_t*>(best + sample.slots);
  for (uint32_t tried = 1; tried < most_slots_tried; ++tried) {
    bool left_out = false;
    all.for_each_sample(sample, index, updates, [&](uint32_t j, uint32_t row, uint32_t) {
      const uint32_t of = count[all.counter_of(row)];
      if (row == no_target || of < sample.least || tags[find_slot(tags, row, shift)] == row) return;
      left_out = true;
      const uint32_t slot = slot_of(row, tried, shift);
      const Offer made = Offer(of) << 32 | Offer(~j);
      if (tags[slot] == no_target && made > *static_cast<volatile Offer*>(best + slot)) {
        atomicMax(best + slot, made);
      }
    });
    if (!__syncthreads_or(left_out)) return;
    for (uint32_t k = threadIdx.x; k < sample.slots; k += blockDim.x) {
      if (tags[k] != no_target || best[k] < Offer(sample.least) << 32) continue;
      tags[k] = target_at(index, sample.position(~static_cast<uint32_t>(best[k]), updates));
    }
    __syncthreads();
  }
}

// any_of reports whether any slot has a row.
__device__ __forceinline__ bool any_of(const uint32_t* tags, uint32_t slots) {
  bool any = false;
  for (uint32_t k = threadIdx.x % 32; k < slots; k += 32) any = any || tags[k] != no_target;
  return __any_sync(full_warp, any);
}

// sample_tags finds the tags by the sample that calls decide by, the most frequent rows first. Counts by another
// hash keep out what shares a counter with a frequent row: of few slots none is to spare. It returns
// whether a row is worth the table. The whole block calls it.
__device__ __forceinline__ bool sample_tags(const RowTable& table, const RowIndex& index,
                                            size_t updates, uint32_t* tags, uint32_t* shared) {
  using Sample = StreamSample<most_threads>;
  constexpr uint32_t other = 3266489917u;
  const auto clear = [&] {
    for (uint32_t k = threadIdx.x; k < sampling::counters; k += blockDim.x) shared[k] = 0;
    __syncthreads();
  };
  Sample sample;
  sample.load(0, index, updates);
  sample.load(Sample::each, index, updates);
  clear();
  const uint32_t top = sample.note(0, updates, shared);
  if (!__syncthreads_or(top >= table.worth)) return false;
  sample.note(Sample::each, updates, shared);
  sample.read(shared);
  __syncthreads();
  clear();
  sample.note(0, updates, shared, other);
  sample.note(Sample::each, updates, shared, other);
  sample.read<true>(shared, other);
  __syncthreads();  // the counters give way
  sample.clear_tags(tags, shared, table.slots);
  for (uint32_t least = 24; least >= 6; least /= 2) {
    sample.place_tags<most_slots_tried>(tags, shared, table.slots, least);
  }
  return true;
}

// load_table finds or reads the tags and clears the sums of all warps. It returns whether any row is
// hot. The whole block calls it.
template <typename A>
__device__ __forceinline__ bool load_table(const RowTable& table, const RowIndex& index,
                                           size_t updates, uint32_t* tags, A* sums,
                                           uint32_t number) {
  const HotSample sample{table.slots, table.samples, least_samples};
  if (table.tags != nullptr) {
    for (uint32_t k = threadIdx.x; k < table.slots; k += blockDim.x) tags[k] = __ldg(table.tags + k);
  } else if (table.samples > 0) {
    sample_hot(tags, index, updates, sample, sums, Share{0, 1});
  } else if (!sample_tags(table, index, updates, tags, reinterpret_cast<uint32_t*>(sums))) {
    return false;
  }
  __syncthreads();
  if (!any_of(tags, table.slots)) return false;
  if (table.tags == nullptr && table.samples > 0) tag_others(sample, index, updates, tags, sums);
  __syncthreads();
  for (uint32_t k = threadIdx.x; k < number; k += blockDim.x) sums[k] = A(0);
  __syncthreads();
  return true;
}

// flush_table adds the sums of all warps to the rows. The whole block calls it.
template <int V, typename Call>
__device__ __forceinline__ void flush_table(const Call& call, uint32_t slots,
                                            const uint32_t* tags,
                                            typename Call::Sum* sums,
                                            const Columns<V>& columns) {
  using A = typename Call::Sum;
  __syncthreads();
  const uint32_t pieces = columns.number / V, warp_sums = slots * columns.number;
  for (uint32_t k = threadIdx.x; k < slots * pieces; k += blockDim.x) {
    const uint32_t slot = k / pieces, column = k % pieces * V;
    if (tags[slot] == no_target) continue;
    Piece<V, A> sum;
    sum.clear();
    bool any = false;
#pragma unroll 4
    for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) {
      sum.add(*sums_at<V>(sums + warp * warp_sums + slot * columns.number + column));
    }
#pragma unroll
    for (int e = 0; e < V; ++e) any = any || sum.element[e] != A(0);
    const size_t at = size_t(tags[slot]) * call.width + columns.first + column;
    if (any) add_piece<typename Call::Target>(call.A + at, sum, call.bounds());
  }
}

}  // namespace rows

// rows_update makes the updates of a call, of a width that V divides, in groups of lanes that hold
// V columns each. Blocks have whole warps and one dimension; gridDim.y is how often the columns of
// a group go into width, rounded up. A and values lie at multiples of V elements or of 16 bytes,
// the lesser. With hot, shared has table.bytes(columns, warps) bytes, where columns is the lesser
// of width and those of a group.
template <int V, bool hot, typename Call>
__device__ __forceinline__ void rows_update(const Call& call, const RowTable& table,
                                            void* shared) {
  using A = typename Call::Sum;
  using Turns = rows::Turns<V, hot, Call>;
  const auto columns = rows::Columns<V>::of(call.width);
  rows::Sum<typename Call::Target, V, hot> sum{call.A, columns, call.bounds()};
  uint32_t* const tags = static_cast<uint32_t*>(shared);
  A* const sums = reinterpret_cast<A*>(tags + table.tag_words());
  if constexpr (hot) {
    const uint32_t of_warp = table.warp_sums(columns.number);
    if (rows::load_table(table, call.index, call.updates, tags, sums,
                         of_warp * (blockDim.x / 32))) {
      sum.tags = tags;
    }
    sum.sums = sums + of_warp * (threadIdx.x / 32) + columns.mine();
    sum.shift = hash_shift(table.slots);
  } else if (!columns.has()) {
    return;
  }
  const rows::Stretch stretch = rows::stretch_of(call.updates, 5 - columns.bits + Turns::bits);
  const size_t step = size_t(Turns::most) * columns.groups();
  const unsigned group = columns.group(threadIdx.x % 32);
  for (size_t u = stretch.first; u < stretch.last; u += step) {
    Turns turns;
    turns.load(call, u + group, stretch.last, columns);
#pragma unroll
    for (int t = 0; t < Turns::most; ++t) sum.take(turns.row(call.index, t), turns.values[t]);
  }
  sum.release(true);
  if (hot && sum.tags != nullptr) rows::flush_table<V>(call, table.slots, tags, sums, columns);
}

// rows_update_elements makes the updates of a call with an atomic for each element: neighbouring
// threads of the grid take neighbouring elements.
template <typename Call>
__device__ __forceinline__ void rows_update_elements(const Call& call) {
  const size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const size_t step = size_t(gridDim.x) * blockDim.x, step_updates = step / call.width;
  const uint32_t step_columns = uint32_t(step % call.width);
  size_t u = first / call.width;
  uint32_t column = uint32_t(first % call.width);
  while (u < call.updates) {
    const uint32_t row = target_at(call.index, u);
    if (row != no_target) {
      const size_t from = u * call.width + column, to = size_t(row) * call.width + column;
      add_piece<typename Call::Target>(
          call.A + to, load_piece<1, typename Call::Sum>(call.values, from), call.bounds());
    }
    u += step_updates;
    column += step_columns;
    if (column >= call.width) column -= call.width, ++u;
  }
}

}  // namespace atomtune
