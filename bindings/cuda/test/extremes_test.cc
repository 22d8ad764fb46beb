// Tests of the smallest and the largest value of each target on an emulated warp, through
// every form and every kind of copy, with lanes that give way to each other before their
// atomics, against a serial loop. Run by `make test`.
#include "warp_emulator.h"

#include "atomtune_extremes.cuh"
#include "atomtune_hot_tags.cuh"
#include "atomtune_partition.cuh"
#include "atomtune_ranges.cuh"

#include "emulated_grid.h"
#include "extreme_values.h"
#include "partition_memory.h"
#include "patterns.h"

namespace {

constexpr uint32_t slots = 16;

// Run is a stream with values of type T, and what the targets hold before and after.
template <typename T, Extreme extreme>
struct Run {
  using E = Extremum<T, extreme>;
  std::string name;
  Stream stream;
  std::vector<T> values, first, want;

  // check has update(targets) apply the stream, and compares to the bit.
  template <typename Update>
  void check(const std::string& form, Update update) const {
    std::vector<T> got = first;
    update(E::array(got.data()));
    judge(form, got);
  }
  void judge(const std::string& form, const std::vector<T>& got) const {
    expect(same_numbers(got, want), form + " of " + name + ": wrong extremes");
  }
  Loaded<E> loaded() const { return {E::array(values.data())}; }
  const uint32_t* index() const { return stream.index.data(); }
  size_t updates() const { return stream.index.size(); }
};

template <typename T, Extreme extreme>
Run<T, extreme> make_run(const Stream& s, int kind, std::mt19937_64& random) {
  Run<T, extreme> r{extreme_name<T>(extreme, kind), s, {}, {}, {}};
  for (uint32_t k = 0; k < s.bins; ++k) r.first.push_back(any_number<T>(kind, random));
  r.want = r.first;
  for (const uint32_t i : s.index) {
    r.values.push_back(any_number<T>(kind, random));
    r.want[i] = extreme_of(extreme, r.want[i], r.values.back());
  }
  return r;
}

template <typename Form, int unroll, typename T, Extreme extreme>
void check_copies(const Run<T, extreme>& r) {
  using E = Extremum<T, extreme>;
  const uint32_t bins = r.stream.bins;
  for (Copies copies : {Copies{bins, 1, 0, false}, Copies{bins, 3, 2, true}}) {
    std::vector<typename E::Word> words(copies.words(), 1);
    E* const shared = reinterpret_cast<E*>(words.data());
    r.check("private_update", [&](E* A) {
      run(2, [&] {
        private_update<Form, unroll>(A, r.index(), r.loaded(), r.updates(), copies, shared);
      });
    });
    const RangedCopies ranged{copies, 3};
    r.check("private_update with ranges", [&](E* A) {
      // The last range may end past the targets: words there are not added.
      run(4, [&] {
        private_update<Form, unroll>(A, r.index(), r.loaded(), r.updates(), ranged, shared);
      });
    });
  }
}

template <typename Form, int unroll, typename T, Extreme extreme>
void check_form(const Run<T, extreme>& r, const std::vector<uint32_t>& tags) {
  using E = Extremum<T, extreme>;
  r.check("global_update", [&](E* A) {
    run(3, [&] { global_update<Form, unroll>(A, r.index(), r.loaded(), r.updates()); });
  });
  check_copies<Form, unroll>(r);
  const HotTable table{slots, 3, tags.data()};
  std::vector<double> shared(table.bytes<E>() / sizeof(double) + 1, 77);
  r.check("hot_update", [&](E* A) {
    run(2, [&] {
      hot_update<Form, unroll>(A, r.index(), r.loaded(), r.updates(), table, shared.data());
    });
  });
}

template <typename T, Extreme extreme>
void check_threadprivate(const Run<T, extreme>& r) {
  using E = Extremum<T, extreme>;
  const uint32_t bins = r.stream.bins, blocks = 2;
  std::vector<E> shared(bins * size_t(32), E::of_word(1)), partial(bins * size_t(blocks));
  r.check("threadprivate_update", [&](E* A) {
    run(blocks, [&] {
      threadprivate_update(partial.data(), r.index(), r.loaded(), r.updates(), bins,
                           shared.data());
    });
    run(bins, [&] { sum_partials(A, partial.data(), bins, blocks); });
  });
}

template <typename T, Extreme extreme>
void check_partition(const Run<T, extreme>& r) {
  using E = Extremum<T, extreme>;
  const Partition partition{r.stream.bins, 6, 2};
  const Cut cut{32, 32};
  const uint32_t ranges = partition.ranges();
  Memory<E> memory(r.updates(), ranges);
  std::vector<Part> list(ranges + r.updates() / cut.part);
  uint32_t number = 0, sums[scan_words];
  std::vector<uint32_t> counters(ranges);
  std::vector<double> tile(tile_words<E, Loaded<E>>(4 * 32, ranges) / 2 + 1);
  std::vector<E> copies(partition.range().words());
  const Buckets<E> buckets = memory.buckets();
  r.check("add_parts", [&](E* A) {
    run(2, [&] {
      count_ranges(buckets.count, r.index(), r.updates(), partition, counters.data());
    });
    run(1, [&] { start_ranges(buckets, ranges, sums); });
    run(2, [&] {
      split_tiles<4>(buckets, r.index(), r.loaded(), r.updates(), partition, tile.data());
    });
    run(1, [&] { cut_parts(buckets, ranges, cut, list.data(), &number, sums); });
    uint32_t taken = 0, next = 0;
    run(2, [&] {
      add_parts<Loaded<E>>(A, buckets, partition, list.data(), number, &taken, Finish::add,
                           copies.data(), &next);
    });
  });
}

std::vector<uint32_t> known_tags(const Stream& s) {
  std::vector<size_t> count(s.bins);
  for (const uint32_t i : s.index) ++count[i];
  return fill_hot_tags(count, slots);
}

// check_streams has every form and call update streams of the least float and the greatest int64_t, a
// type of each size, and private copies those of others: a form and a call know no more of a type than
// its size. check_lanes has all forms and types.
template <typename T, Extreme extreme>
void check_streams(const std::vector<Stream>& streams, std::mt19937_64& random) {
  for (const Stream& s : streams) {
    const std::vector<uint32_t> tags = known_tags(s);
    for (int kind = 0; kind < number_kinds<T>; ++kind) {
      const auto r = make_run<T, extreme>(s, kind, random);
      if constexpr (std::is_same_v<T, std::conditional_t<extreme == Extreme::least, float, int64_t>>) {
        for_each_form([&](auto form) { check_form<decltype(form), 1>(r, tags); });
        check_form<Match, 4>(r, tags);
        check_threadprivate(r);
        check_partition(r);
      } else {
        check_copies<Match, 4>(r);
      }
    }
  }
}

// check_lanes has the forms called by the lanes of mask.
template <typename T, Extreme extreme>
void check_lanes(const Pattern& p, unsigned mask, int kind, std::mt19937_64& random) {
  using E = Extremum<T, extreme>;
  Stream s{std::vector<uint32_t>(p.index, p.index + 32), pattern_targets};
  auto r = make_run<T, extreme>(s, kind, random);
  r.want = r.first;
  for (int lane = 0; lane < 32; ++lane) {
    T& target = r.want[p.index[lane]];
    if (mask >> lane & 1u) target = extreme_of(extreme, target, r.values[size_t(lane)]);
  }
  for_each_form([&](auto form) {
    r.check("add_to on " + p.name, [&](E* A) {
      the_warp.run(mask, [&] {
        const size_t lane = size_t(the_warp.current());
        decltype(form)::add_to(ArrayTarget<E>{A}, p.index[lane], r.loaded()[lane], mask, 7u);
      });
    });
  });
}

// check_sum demands that E(0) changes nothing, that a target keeps its NaN, and that no order of three
// numbers matters.
template <typename T, Extreme extreme>
void check_sum(std::mt19937_64& random) {
  using E = Extremum<T, extreme>;
  static_assert(sizeof(E) == sizeof(T) && alignof(E) == alignof(T), "as large as T");
  const std::string name = extreme_name<T>(extreme, 0);
  for (int k = 0; k < 2000; ++k) {
    const int kind = k % number_kinds<T>;
    const T x = any_number<T>(kind, random), y = any_number<T>(kind, random);
    const T z = any_number<T>(kind, random);
    const E a = E::of(x), b = E::of(y), c = E::of(z), target = *E::array(&x);
    expect(a + b == E::of(extreme_of(extreme, x, y)), name + ": a + b");
    expect(a + E(0) == a && E(0) + a == a, name + ": E(0) changes a number");
    expect((a + b) + c == c + (b + a), name + ": the order matters");
    expect(x == x || target + b == target, name + ": a NaN gives way");
  }
}

// check_atomics demands that values which change nothing make no atomic, and that the
// others make one each where lanes come one after the other.
template <typename T, Extreme extreme>
void check_atomics() {
  using E = Extremum<T, extreme>;
  const bool least = extreme == Extreme::least;
  const auto atomics_of = [&](auto value_of) {
    T target = T(50);
    the_warp.atomics = 0;
    the_warp.run(full_warp, [&] {
      add_naive(E::array(&target), 0u, E::of(value_of(the_warp.current())));
    });
    return the_warp.atomics;
  };
  const std::string name = extreme_name<T>(extreme, 0);
  expect(atomics_of([](int) { return T(50); }) == 0, name + ": an atomic for nothing");
  expect(atomics_of([=](int lane) { return least ? T(60 + lane) : T(lane); }) == 0,
         name + ": an atomic that changes nothing");
  expect(atomics_of([=](int lane) { return least ? T(40 - lane) : T(60 + lane); }) == 32,
         name + ": one atomic for each change");
}

template <typename T, Extreme extreme>
void check_extreme(const std::vector<Stream>& streams, std::mt19937_64& random) {
  check_sum<T, extreme>(random);
  check_streams<T, extreme>(streams, random);
  std::mt19937 some(20140612);
  const std::vector<unsigned> ms = masks(some);
  size_t next = 0;
  for (const Pattern& p : patterns(some)) {
    for (const unsigned mask : {full_warp, ms[next++ % ms.size()]}) {
      check_lanes<T, extreme>(p, mask, int(next % number_kinds<T>), random);
    }
  }
}

template <typename T>
void check_type(const std::vector<Stream>& streams, std::mt19937_64& random) {
  check_extreme<T, Extreme::least>(streams, random);
  check_extreme<T, Extreme::greatest>(streams, random);
}

// for_each_number calls body with a number of each of the six types.
template <typename Body>
void for_each_number(Body body) {
  body(uint32_t());
  body(int32_t());
  body(float());
  body(uint64_t());
  body(int64_t());
  body(double());
}

}  // namespace

int main() {
  for_each_number([](auto zero) {
    check_atomics<decltype(zero), Extreme::least>();
    check_atomics<decltype(zero), Extreme::greatest>();
  });
  std::mt19937 order(20110901);
  std::mt19937_64 random(1);
  const std::vector<Stream> streams{{{}, 5},
                                    random_stream(order, 45, 7),
                                    random_stream(order, 131, 40),
                                    random_stream(order, 70, 150),
                                    {std::vector<uint32_t>(75, 2), 3}};
  the_warp.interleave(1);
  for_each_number([&](auto zero) { check_type<decltype(zero)>(streams, random); });
  return verdict("extremes_test", 100000);
}
