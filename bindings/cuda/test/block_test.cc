// Tests of the loops over a stream on an emulated grid of blocks of one warp: direct
// updates, private copies, counters per thread, and the order of ss; and by blocks of several
// warps of sr by blocks and of peers by a hash. Run by `make test`.
#include "warp_emulator.h"

#include "atomtune.cuh"
#include "atomtune_hash.cuh"
#include "atomtune_index.cuh"
#include "atomtune_scatter.cuh"

#include "check.h"
#include "emulated_grid.h"

// The places of up to three warps.
PeerPlaces atomtune::peer_places[3];

namespace {

using namespace atomtune;

template <typename Form, typename T, typename Values>
void check_global(const Stream& s, Values values, unsigned blocks) {
  std::vector<T> A(s.bins, T(3)), B = A, old(s.index.size());
  run(blocks, [&] {
    global_update<Form>(A.data(), s.index.data(), values, s.index.size());
  });
  expect(A == serial<T>(s, values), "global_update: wrong sums");
  run(blocks, [&] {
    global_fetch_update<Form>(B.data(), s.index.data(), values, old.data(),
                              s.index.size());
  });
  expect(B == A, "global_fetch_update: wrong sums");
  expect(all_serial(s, values, old, B), "global_fetch_update: no serial order");
}

template <typename Form, typename T, typename Values>
void check_private(const Stream& s, Values values, unsigned blocks) {
  for (Copies copies : {Copies{s.bins, 1, 0, false}, Copies{s.bins, 4, 1, false},
                        Copies{s.bins, 5, 2, true}, Copies{s.bins, 40, 0, true}}) {
    std::vector<T> A(s.bins, T(3)), shared(copies.words(), T(77));
    run(blocks, [&] {
      private_update<Form>(A.data(), s.index.data(), values, s.index.size(), copies,
                           shared.data());
    });
    expect(A == serial<T>(s, values), "private_update: wrong sums");
  }
}

template <typename T, typename Values>
void check_threadprivate(const Stream& s, Values values, unsigned blocks) {
  std::vector<T> A(s.bins, T(3)), shared(s.bins * size_t(32), T(77));
  std::vector<T> partial(s.bins * size_t(blocks), T(99));
  run(blocks, [&] {
    threadprivate_update(partial.data(), s.index.data(), values, s.index.size(), s.bins,
                         shared.data());
  });
  run(s.bins + 1, [&] { sum_partials(A.data(), partial.data(), s.bins, blocks); });
  expect(A == serial<T>(s, values), "threadprivate: wrong sums");
}

template <typename T, typename Values>
void check_stream(const Stream& s, Values values, unsigned blocks) {
  for_each_form_of<T>([&](auto form) {
    check_global<decltype(form), T>(s, values, blocks);
    check_private<decltype(form), T>(s, values, blocks);
  });
  check_threadprivate<T>(s, values, blocks);
}

template <typename T>
void check_type(std::mt19937& random) {
  for (size_t updates : {31u, 32u, 200u}) {
    for (uint32_t bins : {1u, 40u}) {
      const Stream s = random_stream(random, updates, bins);
      const std::vector<T> values = make_values<T>(s);
      for (unsigned blocks : {1u, 3u}) {
        check_stream<T>(s, Loaded<T>{values.data()}, blocks);
        check_stream<T>(s, Ones{}, blocks);
      }
    }
  }
}

// check_blocks runs sr by blocks, and returns its atomics.
template <typename T, typename Index, typename Values>
long check_blocks(const Stream& s, Index index, Values values, unsigned blocks, unsigned warps) {
  std::vector<T> A(s.bins, T(3));
  std::vector<uint64_t> shared(RunRecords<T>::bytes(32 * warps) / 8, 0x0101010101010101u);
  the_warp.watch(A.data(), A.data() + A.size());
  run(blocks, [&] { sr_block_update(A.data(), index, values, s.index.size(), shared.data()); },
      warps);
  expect(A == serial<T>(s, values), "sr_block_update: wrong sums");
  expect(the_warp.watched == the_warp.atomics, "sr_block_update: atomics elsewhere");
  return the_warp.atomics;
}

// check_left_out has indices that are ignored and such as are no targets, in place of every third.
template <typename T>
void check_left_out(const Stream& s, unsigned warps) {
  std::vector<uint32_t> given = s.index;
  std::vector<T> values = make_values<T>(s);
  for (size_t u = 0; u < given.size(); u += 3) {
    given[u] = u % 2 ? 7000 : s.bins;
    values[u] = T(0);
  }
  uint32_t error = 0;
  const CheckedIndex<uint32_t> index{given.data(), &error, 7000, s.bins, true};
  check_blocks<T>(s, index, Loaded<T>{values.data()}, 2, warps);
  expect(error == (s.index.empty() ? 0u : 1u), "sr_block_update: an index out of range is not told");
}

// block_runs counts the runs of the updates that 16 warps make in a turn.
long block_runs(const Stream& s, unsigned warps) {
  long runs = 0;
  for (size_t u = 0; u < s.index.size(); ++u) {
    runs += u % (32 * warps) % (32 * 16) == 0 || s.index[u] != s.index[u - 1];
  }
  return runs;
}

template <typename T>
void check_all_blocks(std::mt19937& random) {
  for (unsigned warps : {1u, 2u, 3u, 16u, 19u}) {
    for (const Stream& s : emulated_streams(random)) {
      const std::vector<T> values = make_values<T>(s);
      check_blocks<T>(s, s.index.data(), Loaded<T>{values.data()}, 2, warps);
      check_blocks<T>(s, s.index.data(), Ones{}, 1, warps);
      check_left_out<T>(s, warps);
    }
    for (uint32_t length : {2u, 33u, 64u, 100u, 1300u}) {
      // The last warp has several lanes, so that all warps have runs.
      Stream s{std::vector<uint32_t>(32 * 41 + 6), 700};
      for (size_t u = 0; u < s.index.size(); ++u) s.index[u] = uint32_t(u / length);
      const std::vector<T> values = make_values<T>(s);
      for (unsigned blocks : {1u, 3u}) {
        const Loaded<T> loaded{values.data()};
        expect(check_blocks<T>(s, s.index.data(), loaded, blocks, warps) == block_runs(s, warps),
               "sr_block_update: one atomic for each run of a block");
      }
    }
  }
}

// check_hash runs peers by a hash, and demands one atomic for each target of a warp.
template <typename T, typename Values>
void check_hash(const Stream& s, Values values, unsigned blocks, unsigned warps) {
  std::vector<T> A(s.bins, T(3));
  std::fill(std::begin(peer_places), std::end(peer_places), PeerPlaces{});
  the_warp.watch(A.data(), A.data() + A.size());
  run(blocks,
      [&] { global_update<HashPeers>(A.data(), s.index.data(), values, s.index.size()); }, warps);
  expect(A == serial<T>(s, values), "HashPeers: wrong sums");
  long targets = 0;
  for (size_t u = 0; u < s.index.size(); ++u) {
    const auto now = s.index.begin() + u;
    targets += std::find(now - u % 32, now, *now) == now;
  }
  expect(the_warp.watched == targets, "HashPeers: one atomic for each target of a warp");
}

template <typename T>
void check_all_hashes(std::mt19937& random) {
  for (unsigned warps : {1u, 2u, 3u}) {
    for (const Stream& s : emulated_streams(random)) {
      const std::vector<T> values = make_values<T>(s);
      check_hash<T>(s, Loaded<T>{values.data()}, 2, warps);
      check_hash<T>(s, Ones{}, 1, warps);
    }
  }
}

// check_maps demands that every copy is some thread's and none is out of range.
void check_maps() {
  for (unsigned threads : {32u, 96u, 256u}) {
    for (uint32_t number : {1u, 3u, 4u, 5u, 31u, 32u, 300u}) {
      for (bool by_block : {false, true}) {
        const Copies copies{1, number, 0, by_block};
        std::vector<bool> used(number);
        uint32_t largest = 0;
        for (unsigned t = 0; t < threads; ++t) {
          const uint32_t c = copies.copy_of(t, threads);
          largest = std::max(largest, c);
          if (c < number) used[c] = true;
        }
        expect(largest < number, "copy_of: no such copy");
        const long count = std::count(used.begin(), used.end(), true);
        expect(count == long(std::min(number, threads)), "copy_of: copies left out");
      }
    }
  }
  const Copies quarters{1, 4, 0, true};
  expect(quarters.copy_of(63, 256) == 0 && quarters.copy_of(64, 256) == 1,
         "copy_of: consecutive threads share a copy");
}

// plain_order is [egielski14] Algorithm 3 as printed, with sets as queues.
std::vector<uint32_t> plain_order(const Stream& s) {
  std::vector<std::vector<uint32_t>> sets(s.bins);
  for (size_t u = s.index.size(); u-- > 0;) sets[s.index[u]].push_back(u);
  std::vector<uint32_t> order;
  while (order.size() < s.index.size()) {
    for (std::vector<uint32_t>& set : sets) {
      if (set.empty()) continue;
      order.push_back(set.back());
      set.pop_back();
    }
  }
  return order;
}

void check_order(std::mt19937& random) {
  const std::vector<uint32_t> index{0, 0, 0, 2, 2, 3};
  expect(scatter_order(index.data(), 6, 4) == std::vector<uint32_t>{0, 3, 5, 1, 4, 2},
         "scatter_order takes one update of each target in turn");
  expect(scatter_order(index.data(), 0, 0).empty(), "scatter_order of nothing");
  for (uint32_t bins : {1u, 2u, 7u, 100u, 5000u}) {
    for (size_t updates : {1u, 31u, 1000u}) {
      const Stream s = random_stream(random, updates, bins);
      const std::vector<uint32_t> order = scatter_order(s.index.data(), updates, bins);
      expect(order == plain_order(s), "scatter_order agrees with Algorithm 3");
      const Stream relaid{reordered(s.index, order), bins};
      expect(serial<double>(relaid, Ones{}) == serial<double>(s, Ones{}),
             "reordered keeps the updates");
    }
  }
  std::string error;
  try {
    scatter_order(index.data(), 6, 3);
  } catch (const std::out_of_range& e) {
    error = e.what();
  }
  expect(error == "index 3 of update 5 is not below 3", "scatter_order checks indices");
}

}  // namespace

int main() {
  std::mt19937 random(20131101);
  check_maps();
  check_order(random);
  check_type<uint32_t>(random);
  check_type<float>(random);
  check_type<long long>(random);
  check_type<double>(random);
  check_all_blocks<uint32_t>(random);
  check_all_blocks<float>(random);
  check_all_blocks<long long>(random);
  check_all_blocks<double>(random);
  check_all_hashes<uint32_t>(random);
  check_all_hashes<double>(random);
  return verdict("block_test", 3900);
}
