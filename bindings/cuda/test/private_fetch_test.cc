// Tests of old values from private copies and from hot targets, on an emulated grid whose
// lanes give way to each other at random: sums, a serial order of each target's updates,
// and the number of atomics. Run by `make test`.
#include <functional>

#include "warp_emulator.h"

#include "atomtune_hot_tags.cuh"
#include "atomtune_private_fetch.cuh"

#include "emulated_grid.h"
#include "plain_sample.h"

namespace {

constexpr uint32_t slots = 16;

// block_of is the block of a grid of one-warp blocks that makes update u.
unsigned block_of(size_t u, unsigned blocks) { return unsigned(u / 32 % blocks); }

// Table says whether a target has a counter in each block.
using Table = std::function<bool(uint32_t)>;

// plain_atomics counts those on the targets: an update without a counter makes one, and a
// counter whose sum is not zero.
template <typename T, typename Values>
long plain_atomics(const Stream& s, Values values, unsigned blocks, const Table& counted) {
  std::map<std::pair<unsigned, uint32_t>, T> sums;
  long atomics = 0;
  for (size_t u = 0; u < s.index.size(); ++u) {
    if (!counted(s.index[u])) ++atomics;
    else sums[{block_of(u, blocks), s.index[u]}] += value_at<T>(values, u);
  }
  for (const auto& sum : sums) atomics += sum.second != T(0);
  return atomics;
}

// check_call runs kernel(A, old), and compares sums, old values and atomics. Each update
// with a counter adds to it twice.
template <typename T, typename Values, typename Kernel>
void check_call(const Stream& s, Values values, unsigned blocks, const Table& counted,
                const std::string& what, Kernel kernel) {
  std::vector<T> A(s.bins, T(3)), old(s.index.size(), T(88));
  the_warp.watch(A.data(), A.data() + A.size());
  run(blocks, [&] { kernel(A.data(), old.data()); });
  expect(A == serial<T>(s, values), what + ": wrong sums");
  expect(all_serial(s, values, old, A), what + ": no serial order");
  expect(the_warp.watched == plain_atomics<T>(s, values, blocks, counted),
         what + ": atomics on the targets");
  const long adds = 2 * std::count_if(s.index.begin(), s.index.end(), counted);
  expect(the_warp.atomics - the_warp.watched == adds, what + ": atomics on the counters");
}

template <int unroll, typename T, typename Values>
void check_private(const Stream& s, Values values, unsigned blocks, Copies copies) {
  std::vector<T> shared(copies.words(), T(77));
  const auto all = [](uint32_t) { return true; };
  check_call<T>(s, values, blocks, all, "private_fetch_update", [&](T* A, T* old) {
    private_fetch_update<unroll>(A, s.index.data(), values, old, s.index.size(), copies,
                                 shared.data());
  });
}

template <int unroll, typename T, typename Values>
void check_hot(const Stream& s, Values values, unsigned blocks, uint32_t copies,
               const std::vector<uint32_t>& tags) {
  const HotTable table{slots, copies, tags.data()};
  std::vector<double> shared(table.bytes<T>() / sizeof(double) + 1, 77);
  const auto hit = [&](uint32_t i) { return tags[slot_of(i, slots)] == i; };
  check_call<T>(s, values, blocks, hit, "hot_fetch_update", [&](T* A, T* old) {
    hot_fetch_update<unroll>(A, s.index.data(), values, old, s.index.size(), table,
                             shared.data());
  });
}

template <typename T, typename Values>
void check_values(const Stream& s, Values values) {
  check_private<1, T>(s, values, 1, {s.bins, 1, 0, false});
  check_private<1, T>(s, values, 3, {s.bins, 5, 1, false});
  check_private<4, T>(s, values, 2, {s.bins, 4, 2, true});
  std::map<uint32_t, size_t> count;
  for (uint32_t i : s.index) ++count[i];
  const std::vector<TargetCount> counts(count.begin(), count.end());
  const std::vector<uint32_t> known = fill_hot_tags(counts, slots), none(slots, no_target);
  check_hot<1, T>(s, values, 1, 1, known);
  check_hot<1, T>(s, values, 3, 5, known);
  check_hot<4, T>(s, values, 2, 32, known);
  check_hot<1, T>(s, values, 2, 1, none);
}

// cancelling values add up to zero in each target's every second update: a sum of zero
// says nothing of whether a counter was used.
template <typename T>
std::vector<T> cancelling(const Stream& s) {
  std::vector<T> values(s.index.size());
  std::map<uint32_t, bool> odd;
  for (size_t u = 0; u < values.size(); ++u) {
    bool& second = odd[s.index[u]];
    values[u] = second ? T(T(0) - T(1)) : T(1);
    second = !second;
  }
  return values;
}

template <typename T>
void check_type(const std::vector<Stream>& streams) {
  for (const Stream& s : streams) {
    const std::vector<T> positive = make_values<T>(s), zero = cancelling<T>(s);
    check_values<T>(s, Loaded<T>{positive.data()});
    check_values<T>(s, Loaded<T>{zero.data()});
    check_values<T>(s, Ones{});
  }
}

}  // namespace

int main() {
  std::mt19937 random(20260206);
  the_warp.interleave(11);
  const std::vector<Stream> streams = emulated_streams(random);
  check_type<uint32_t>(streams);
  check_type<float>(streams);
  check_type<long long>(streams);
  return verdict("private_fetch_test", 1200);
}
