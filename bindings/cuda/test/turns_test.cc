// Tests of several updates in flight, and of private copies of a range of the targets, on
// an emulated grid. Run by `make test`.
#include "warp_emulator.h"

#include "atomtune_index.cuh"
#include "atomtune_ranges.cuh"

#include "emulated_grid.h"

namespace {

// Turn is one call of a body.
struct Turn {
  size_t u;
  unsigned mask, draw;
  bool operator==(const Turn& other) const {
    return u == other.u && mask == other.mask && draw == other.draw;
  }
};

// Log is what one lane did: its turns, and in which order it loaded and added.
struct Log {
  std::vector<Turn> turns;
  std::string events;
};

// LoggedValues and LoggedAdds write to a log for each thread of the grid.
struct LoggedValues {
  Log* logs;
  float operator[](size_t u) const {
    logs[blockIdx.x * 32 + threadIdx.x].events += 'l';
    return float(u);
  }
};

struct LoggedAdds {
  Log* logs;
  static constexpr bool takes_all = false;
  bool takes(uint32_t i) const { return i != 2; }
  void add(size_t u, uint32_t i, float v, unsigned mask, unsigned draw) const {
    Log& log = logs[blockIdx.x * 32 + threadIdx.x];
    log.events += 'a';
    log.turns.push_back({u, mask, draw});
    expect(v == (takes(i) ? float(u) : 0), "for_each_update: another update's value");
  }
};

// events_of are the loads and adds of a lane with turns turns, unroll at a time.
std::string events_of(size_t turns, size_t unroll) {
  std::string events;
  for (size_t at = 0; at < turns;) {
    const size_t now = at + unroll <= turns ? unroll : 1;
    events += std::string(now, 'l') + std::string(now, 'a');
    at += now;
  }
  return events;
}

// turns_of are the turns of thread t of a grid of blocks blocks of a warp, in their order.
std::vector<Turn> turns_of(size_t t, unsigned blocks, size_t updates) {
  std::vector<Turn> turns;
  for (size_t base = t / 32 * 32; base + t % 32 < updates; base += blocks * 32) {
    const size_t rest = updates - base;
    const unsigned mask = rest < 32 ? (1u << rest) - 1 : full_warp;
    turns.push_back({base + t % 32, mask, unsigned(base / 32) * 2654435769u >> 27});
  }
  return turns;
}

// check_loop demands the turns of a grid-stride loop in their order, and the loads of unroll
// turns before the first of their adds.
template <int unroll>
void check_loop(size_t updates, unsigned blocks) {
  const std::vector<uint32_t> index(updates, 1);
  std::vector<Log> logs(blocks * 32);
  run(blocks, [&] {
    for_each_update<unroll>(whole_grid(), index.data(), LoggedValues{logs.data()}, updates,
                            LoggedAdds{logs.data()});
  });
  const size_t in_full_warps = updates / 32;
  for (size_t t = 0; t < logs.size(); ++t) {
    expect(logs[t].turns == turns_of(t, blocks, updates), "for_each_update: other turns");
    const size_t block = t / 32;
    size_t full = 0;
    for (size_t warp = block; warp < in_full_warps; warp += blocks) ++full;
    const size_t tail = logs[t].turns.size() - full;
    expect(tail <= 1, "for_each_update: one tail at most");
    expect(logs[t].events == events_of(full, unroll) + events_of(tail, 1),
           "for_each_update: loads before adds");
  }
}

void check_loops() {
  for (size_t updates : {0u, 5u, 64u, 300u, 32u * 17, 32u * 26 + 3}) {
    for (unsigned blocks : {1u, 3u}) {
      check_loop<1>(updates, blocks);
      check_loop<2>(updates, blocks);
      check_loop<4>(updates, blocks);
      check_loop<8>(updates, blocks);
    }
  }
}

// check_values demands that no value is read whose update the body does not take.
void check_values() {
  const std::vector<uint32_t> index(200, 2);
  std::vector<Log> logs(32);
  run(1, [&] {
    for_each_update<4>(whole_grid(), index.data(), LoggedValues{logs.data()}, index.size(),
                       LoggedAdds{logs.data()});
  });
  for (const Log& log : logs) {
    expect(log.events.find('l') == std::string::npos, "for_each_update: needless loads");
    expect(log.turns.size() >= 6, "for_each_update: every index is seen");
  }
}

// check_left_out demands that updates that are left out do not keep the loads of the others apart.
void check_left_out() {
  std::vector<uint32_t> given(32 * 9 + 7, 1);
  for (size_t u = 0; u < given.size(); u += 11) given[u] = 77;
  uint32_t error = 0;
  const CheckedIndex<uint32_t> index{given.data(), &error, 77, 5, true};
  std::vector<Log> logs(32);
  run(1, [&] {
    for_each_update<4>(whole_grid(), index, LoggedValues{logs.data()}, given.size(),
                       LoggedAdds{logs.data()});
  });
  expect(error == 0, "for_each_update: an index to ignore is none out of range");
  for (size_t t = 0; t < logs.size(); ++t) {
    expect(logs[t].turns == turns_of(t, 1, given.size()), "for_each_update: other turns");
    expect(logs[t].events == events_of(9, 4) + events_of(t < 7 ? 1 : 0, 1),
           "for_each_update: loads before adds where some are left out");
  }
}

template <typename Form, int unroll, typename T, typename Values>
void check_calls(const Stream& s, Values values) {
  const unsigned blocks = 1;  // so that eight updates are in flight
  const std::vector<T> want = serial<T>(s, values);
  std::vector<T> A(s.bins, T(3)), B = A, C = A, old(s.index.size());
  const uint32_t* const index = s.index.data();
  const size_t n = s.index.size();
  run(blocks, [&] { global_update<Form, unroll>(A.data(), index, values, n); });
  expect(A == want, "global_update: wrong sums");
  run(blocks, [&] {
    global_fetch_update<Form, unroll>(B.data(), index, values, old.data(), n);
  });
  expect(B == want, "global_fetch_update: wrong sums");
  expect(all_serial(s, values, old, B), "global_fetch_update: no serial order");
  const Copies copies{s.bins, 3, 1, false};
  std::vector<T> shared(copies.words(), T(77));
  run(blocks, [&] {
    private_update<Form, unroll>(C.data(), index, values, n, copies, shared.data());
  });
  expect(C == want, "private_update: wrong sums");
}

template <int unroll, typename T, typename Values>
void check_threadprivate(const Stream& s, Values values) {
  const unsigned blocks = 2;
  std::vector<T> A(s.bins, T(3)), shared(s.bins * size_t(32), T(77));
  std::vector<T> partial(s.bins * size_t(blocks), T(99));
  run(blocks, [&] {
    threadprivate_update<unroll>(partial.data(), s.index.data(), values, s.index.size(),
                                 s.bins, shared.data());
  });
  for (uint32_t k = 0; k < s.bins; ++k) A[k] += partial[2 * k] + partial[2 * k + 1];
  expect(A == serial<T>(s, values), "threadprivate_update: wrong sums");
}

// CountedReads counts how often each value is read.
struct CountedReads {
  std::vector<int>* reads;
  double operator[](size_t u) const { return ++(*reads)[u], 1; }
};

template <typename T>
T value_at(CountedReads, size_t) {
  return T(1);
}

template <typename Form, int unroll, typename T, typename Values>
void check_ranges(const Stream& s, Values values, uint32_t ranges, unsigned blocks) {
  const RangedCopies copies{Copies{s.bins, 3, 1, false}, ranges};
  std::vector<T> A(s.bins, T(3)), shared(copies.words(), T(77));
  run(blocks, [&] {
    private_update<Form, unroll>(A.data(), s.index.data(), values, s.index.size(), copies,
                                 shared.data());
  });
  expect(A == serial<T>(s, values), "private_update with ranges: wrong sums");
}

// check_groups demands that the blocks of a grid serve every range, and that each update's
// value is read by one of them.
void check_groups(const Stream& s, uint32_t ranges, unsigned blocks) {
  std::vector<int> reads(s.index.size());
  check_ranges<ScanReduce, 2, double>(s, CountedReads{&reads}, ranges, blocks);
  expect(reads == std::vector<int>(s.index.size(), 1), "ranges: a value is read once");
  const RangedCopies copies{Copies{s.bins, 3, 1, false}, ranges};
  expect(copies.width() == (s.bins + ranges - 1) / ranges, "ranges: width");
  expect(copies.words() == 3 * (copies.width() + size_t(1)), "ranges: words");
  std::vector<std::vector<unsigned>> seen(ranges);
  gridDim.x = blocks;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {
    const Share share = copies.share();
    std::vector<unsigned>& group = seen[blockIdx.x % ranges];
    group.resize(share.blocks);
    expect(share.block < share.blocks && group[share.block]++ == 0, "ranges: a block");
  }
  blockIdx.x = 0;
  for (const std::vector<unsigned>& group : seen) {
    expect(!group.empty() && std::count(group.begin(), group.end(), 1u) == long(group.size()),
           "ranges: a group's blocks are numbered through");
  }
}

template <typename T, typename Values>
void check_stream(const Stream& s, Values values) {
  for_each_form([&](auto form) {
    using Form = decltype(form);
    check_calls<Form, 4, T>(s, values);
    check_ranges<Form, 1, T>(s, values, 2, 2);
  });
  check_calls<Match, 1, T>(s, values);
  check_calls<Naive, 2, T>(s, values);
  check_calls<Naive, 8, T>(s, values);
  check_ranges<Match, 4, T>(s, values, 3, 4);
  check_threadprivate<1, T>(s, values);
  check_threadprivate<4, T>(s, values);
}

template <typename T>
void check_type(const std::vector<Stream>& streams) {
  for (const Stream& s : streams) {
    const std::vector<T> values = make_values<T>(s);
    check_stream<T>(s, Loaded<T>{values.data()});
    check_stream<T>(s, Ones{});
  }
}

}  // namespace

int main() {
  std::mt19937 random(20260102);
  const std::vector<Stream> streams = emulated_streams(random);
  check_loops();
  check_values();
  check_left_out();
  for (uint32_t bins : {1u, 7u, 300u}) {
    const Stream s = random_stream(random, 133, bins);
    check_groups(s, 64, 64);
    for (uint32_t ranges : {1u, 2u, 3u, 7u}) {
      for (unsigned blocks : {ranges, ranges + 1, 2 * ranges}) check_groups(s, ranges, blocks);
    }
  }
  check_type<uint32_t>(streams);
  check_type<double>(streams);
  return verdict("turns_test", 25000);
}
