// Tests of the kernels of a partition on an emulated grid: every update stands once in the
// bucket of its range, parts cover the buckets, and the sums are those of a serial count.
// Run by `make test`.
#include "warp_emulator.h"

#include "atomtune_partition.cuh"

#include "emulated_grid.h"
#include "partition_memory.h"

namespace {

// check_buckets demands of each bucket the targets of its range, as often as they occur.
template <typename T>
void check_buckets(const Buckets<T>& buckets, const Stream& s, const Partition& partition,
                   const std::string& what) {
  std::vector<uint32_t> want(s.bins), got(s.bins);
  for (uint32_t i : s.index) ++want[i];
  uint32_t end = 0;
  for (uint32_t r = 0; r < partition.ranges(); ++r) {
    expect(buckets.start[r] % bucket_step == 0 && buckets.start[r] >= end,
           what + ": where a range starts");
    end = buckets.next[r];
    for (uint32_t u = buckets.start[r]; u < end; ++u) {
      const uint32_t target = (r << partition.shift) + buckets.place[u];
      if (target < s.bins) ++got[target];
    }
  }
  expect(got == want, what + ": updates of the ranges");
}

// check_parts demands that the parts of a range cover it, and that whole ones do alone.
template <typename T>
void check_parts(const Buckets<T>& buckets, const std::vector<Part>& list, uint32_t number,
                 uint32_t ranges, Cut cut, const std::string& what) {
  uint32_t p = 0;
  for (uint32_t r = 0; r < ranges; ++r) {
    const uint32_t all = buckets.next[r] - buckets.start[r];
    const uint32_t most = all <= cut.whole ? all : cut.part;
    uint32_t covered = 0;
    for (; p < number && list[p].range == r; ++p) {
      expect(list[p].begin == buckets.start[r] + covered && list[p].updates <= most &&
                 list[p].updates > 0 && (list[p].whole != 0) == (list[p].updates == all),
             what + ": a part");
      covered += list[p].updates;
    }
    expect(covered == all, what + ": parts of a range");
  }
  expect(p == number, what + ": number of parts");
}

template <int Items, typename T, typename Values>
void check(const Stream& s, Values values, Partition partition, Cut cut,
           unsigned blocks, Finish finish) {
  const uint32_t ranges = partition.ranges();
  const size_t n = s.index.size();
  const std::string what = "partition of " + std::to_string(n) + " updates in " +
                           std::to_string(ranges) + " ranges";
  const bool stores = finish == Finish::store;
  std::vector<T> A(s.bins, stores ? T(0) : T(3)), want = serial<T>(s, values);
  if (stores) {
    for (T& x : want) x -= T(3);
  }
  Memory<T> memory(n, ranges);
  const Buckets<T> buckets = memory.buckets();
  std::vector<Part> list(ranges + n / cut.part, {77, 77, 77, 77});
  uint32_t number = 77, sums[scan_words];
  std::vector<uint32_t> counters(ranges, 77);
  std::vector<double> tile(tile_words<T, Values>(Items * 32, ranges) / 2 + 1, 77);
  std::vector<T> copies(partition.range().words(), T(77));
  const auto count = [&] {
    count_ranges(buckets.count, s.index.data(), n, partition, counters.data());
  };
  const auto split = [&] {
    split_tiles<Items>(buckets, s.index.data(), values, n, partition, tile.data());
  };
  run(blocks, count);
  run(1, [&] { start_ranges(buckets, ranges, sums); });
  run(blocks, split);
  check_buckets(buckets, s, partition, what);
  run(1, [&] { cut_parts(buckets, ranges, cut, list.data(), &number, sums); });
  check_parts(buckets, list, number, ranges, cut, what);
  the_warp.watch(A.data(), A.data() + A.size());
  uint32_t taken = 0, next = 0;
  run(blocks, [&] {
    add_parts<Values>(A.data(), buckets, partition, list.data(), number, &taken, finish,
                      copies.data(), &next);
  });
  expect(A == want, what + ": wrong sums");
  bool whole = true;
  for (uint32_t p = 0; p < number; ++p) whole = whole && list[p].whole != 0;
  expect(!whole || the_warp.watched == 0, what + ": atomics on the targets of whole ranges");
}

template <typename T, typename Values>
void check_sizes(const Stream& s, Values values) {
  check<1, T>(s, values, {s.bins, 6, 1}, {64, 64}, 1, Finish::add);
  check<4, T>(s, values, {s.bins, 6, 3}, {128, 64}, 3, Finish::store);
  check<8, T>(s, values, {s.bins, 8, 2}, {1024, 128}, 2, Finish::store);
  check<16, T>(s, values, {s.bins, 16, 1}, {128, 128}, 1, Finish::add);
}

template <typename T>
void check_type(const std::vector<Stream>& streams) {
  for (const Stream& s : streams) {
    const std::vector<T> values = make_values<T>(s);
    check_sizes<T>(s, Loaded<T>{values.data()});
    check_sizes<T>(s, Ones{});
  }
}

}  // namespace

int main() {
  std::mt19937 random(20260201);
  std::vector<Stream> streams = emulated_streams(random);
  streams.push_back(random_stream(random, 1500, 640));
  check_type<uint32_t>(streams);
  the_warp.interleave(7);
  check_type<double>(streams);
  return verdict("partition_test", 1600);
}
