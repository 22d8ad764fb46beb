// Tests of atomtune.cuh on an emulated warp: every form, type, kind of value and
// many index patterns and lane masks, against a serial sum. Run by `make test`.
#include "warp_emulator.h"

#include "atomtune.cuh"

#include <random>
#include <string>

namespace {

using atomtune::One;

int failures = 0;
long checks = 0;

void expect(bool ok, const std::string& what) {
  ++checks;
  if (ok) return;
  ++failures;
  std::fprintf(stderr, "FAIL %s\n", what.c_str());
}

constexpr int bins = 64;

struct Pattern {
  std::string name;
  uint32_t index[32];
};

std::vector<Pattern> patterns(std::mt19937& random) {
  std::vector<Pattern> all;
  Pattern p{"a x a a a", {}};
  for (int lane = 0; lane < 32; ++lane) p.index[lane] = lane == 1 ? 9 : 5;
  all.push_back(p);
  for (unsigned run : {1u, 2u, 3u, 5u, 7u, 16u, 17u, 31u, 32u}) {
    p.name = "runs of " + std::to_string(run);
    for (unsigned lane = 0; lane < 32; ++lane) p.index[lane] = lane / run;
    all.push_back(p);
  }
  for (unsigned keys : {2u, 3u, 6u, 20u, 64u}) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      p.name = "random over " + std::to_string(keys);
      for (uint32_t& i : p.index) i = random() % keys;
      all.push_back(p);
    }
  }
  return all;
}

std::vector<unsigned> masks(std::mt19937& random) {
  std::vector<unsigned> all{0xffffffffu, 1u, 0x80000000u, 0x7fffffffu,
                            0x0000ffffu, 0x55555555u, 0xf00ff00fu};
  for (int k = 0; k < 5; ++k) all.push_back(random() | 1u << (k * 7 % 32));
  return all;
}

template <typename T>
T plain(T v) {
  return v;
}
template <typename T>
T plain(One) {
  return T(1);
}

// check runs one form on one warp and compares all targets and, where most is
// not negative, the number of atomics.
template <typename T, typename V, typename Form>
void check(const char* form, const Pattern& p, unsigned mask, const V* values,
           long most, Form add) {
  T got[bins] = {}, want[bins] = {};
  for (int lane = 0; lane < 32; ++lane) {
    if (mask >> lane & 1u) want[p.index[lane]] += plain<T>(values[lane]);
  }
  the_warp.atomics = 0;
  the_warp.run(mask, [&] {
    const int lane = the_warp.current();
    add(got, p.index[lane], values[lane], mask);
  });
  const std::string what = std::string(form) + " on " + p.name;
  for (int k = 0; k < bins; ++k) expect(got[k] == want[k], what + ": wrong sum");
  if (most >= 0) expect(the_warp.atomics <= most, what + ": too many atomics");
}

long distinct(const Pattern& p, unsigned mask) {
  uint64_t seen = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (mask >> lane & 1u) seen |= uint64_t(1) << p.index[lane];
  }
  return __builtin_popcountll(seen);
}

long runs(const Pattern& p, unsigned mask) {
  long heads = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1u)) continue;
    const bool left = lane > 0 && (mask >> (lane - 1) & 1u);
    heads += !left || p.index[lane - 1] != p.index[lane];
  }
  return heads;
}

template <typename T, typename V>
void check_forms(const Pattern& p, unsigned mask, const V* v) {
  using namespace atomtune;
  const long lanes = __builtin_popcount(mask);
  check<T>("naive", p, mask, v, lanes,
           [](T* A, uint32_t i, V x, unsigned) { add_naive(A, i, x); });
  check<T>("sr", p, mask, v, runs(p, mask),
           [](T* A, uint32_t i, V x, unsigned m) { add_sr(A, i, x, m); });
  check<T>("sr above 4", p, mask, v, lanes,
           [](T* A, uint32_t i, V x, unsigned m) { add_sr(A, i, x, m, 4); });
  check<T>("vr", p, mask, v, lanes,
           [](T* A, uint32_t i, V x, unsigned) { add_vr(A, i, x); });
  for (unsigned draw : {0u, 1u, 13u, 31u, 77u}) {
    check<T>("vr from 1", p, mask, v, lanes,
             [=](T* A, uint32_t i, V x, unsigned m) { add_vr(A, i, x, m, draw, 1); });
  }
  check<T>("peers", p, mask, v, distinct(p, mask),
           [](T* A, uint32_t i, V x, unsigned m) { add_peers(A, i, x, m); });
  check<T>("match", p, mask, v, distinct(p, mask),
           [](T* A, uint32_t i, V x, unsigned m) { add_match(A, i, x, m); });
}

template <typename T>
void check_type(const std::vector<Pattern>& ps, const std::vector<unsigned>& ms) {
  T values[32];
  One ones[32];
  for (int lane = 0; lane < 32; ++lane) values[lane] = T(3 + lane * lane);
  for (const Pattern& p : ps) {
    for (unsigned mask : ms) {
      check_forms<T, T>(p, mask, values);
      check_forms<T, One>(p, mask, ones);
    }
  }
}

void check_run_detection() {
  expect(!atomtune::has_run(0x5u, 2), "has_run: 101 holds no run of 2");
  expect(atomtune::has_run(0xeu, 3), "has_run: 1110 holds a run of 3");
  expect(!atomtune::has_run(0xeu, 4), "has_run: 1110 holds no run of 4");
  expect(!atomtune::has_run(0u, 1), "has_run: 0 holds no run");
}

}  // namespace

int main() {
  std::mt19937 random(20140612);
  const std::vector<Pattern> ps = patterns(random);
  const std::vector<unsigned> ms = masks(random);
  check_run_detection();
  check_type<uint32_t>(ps, ms);
  check_type<int32_t>(ps, ms);
  check_type<float>(ps, ms);
  check_type<unsigned long long>(ps, ms);
  check_type<long long>(ps, ms);
  check_type<double>(ps, ms);
  std::printf("%ld checks, %d failures\n", checks, failures);
  if (checks < 1000000) {
    std::fprintf(stderr, "FAIL only %ld checks ran\n", checks);
    return 1;
  }
  return failures == 0 ? 0 : 1;
}
