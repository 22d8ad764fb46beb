// Tests of the loops over a stream on an emulated grid of blocks of one warp: direct
// updates, private copies, counters per thread, and the order of ss. Run by `make test`.
#include "warp_emulator.h"

#include "atomtune.cuh"
#include "atomtune_scatter.cuh"

#include "check.h"
#include "emulated_grid.h"

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
  return verdict("block_test", 2500);
}
