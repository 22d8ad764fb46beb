// Tests of atomtune.cuh on an emulated warp: every form, with and without return value,
// every type and kind of value, and many index patterns and lane masks, against a
// serial sum. Run by `make test`.
#include "warp_emulator.h"

#include "atomtune.cuh"
#include "atomtune_hash.cuh"

#include "check.h"
#include "patterns.h"
#include "serial_order.h"

// The warp's places in shared memory.
atomtune::PeerPlaces atomtune::peer_places[1];

namespace {

using atomtune::One;

constexpr int bins = pattern_targets;

template <typename T>
T plain(T v) {
  return v;
}
template <typename T>
T plain(One) {
  return T(1);
}

// Call is one warp's call of a form.
template <typename T, typename V>
struct Call {
  const Pattern& pattern;
  unsigned mask;
  const V* values;

  bool active(int lane) const { return mask >> lane & 1u; }
  T value(int lane) const { return plain<T>(values[lane]); }
};

// start is what target k holds at first.
template <typename T>
T start(int k) {
  return T(5 * k);
}

// check runs one form on one warp and compares all targets and the number of atomics.
template <typename T, typename V, typename Form>
void check(const char* form, const Call<T, V>& c, long most, Form add) {
  T got[bins], want[bins];
  for (int k = 0; k < bins; ++k) got[k] = want[k] = start<T>(k);
  for (int lane = 0; lane < 32; ++lane) {
    if (c.active(lane)) want[c.pattern.index[lane]] += c.value(lane);
  }
  the_warp.atomics = 0;
  the_warp.run(c.mask, [&] {
    const int lane = the_warp.current();
    add(got, c.pattern.index[lane], c.values[lane], c.mask);
  });
  const std::string what = std::string(form) + " on " + c.pattern.name;
  expect(std::equal(got, got + bins, want), what + ": wrong sum");
  expect(the_warp.atomics <= most, what + ": too many atomics");
}

// check_fetch runs one form with return value. in_order says that the form adds each
// distinct index once, so that old values follow the lanes.
template <typename T, typename V, typename Form>
void check_fetch(const char* form, const Call<T, V>& c, long most, bool in_order,
                 Form fetch) {
  T got[bins], serial[bins], old[32] = {};
  for (int k = 0; k < bins; ++k) got[k] = serial[k] = start<T>(k);
  the_warp.atomics = 0;
  the_warp.run(c.mask, [&] {
    const int lane = the_warp.current();
    old[lane] = fetch(got, c.pattern.index[lane], c.values[lane], c.mask);
  });
  const std::string what = std::string(form) + " on " + c.pattern.name;
  std::vector<Step> steps[bins];
  for (int lane = 0; lane < 32; ++lane) {
    if (!c.active(lane)) continue;
    const uint32_t k = c.pattern.index[lane];
    if (in_order) expect(old[lane] == serial[k], what + ": wrong old value");
    serial[k] += c.value(lane);
    steps[k].push_back({to_word(old[lane]), to_word(T(old[lane] + c.value(lane)))});
  }
  bool in_some_order = true;
  for (int k = 0; k < bins; ++k) {
    in_some_order = in_some_order &&
                    has_serial_order(steps[k], to_word(start<T>(k)), to_word(got[k]));
  }
  expect(in_some_order, what + ": no serial order");
  expect(std::equal(got, got + bins, serial), what + ": wrong sum");
  expect(the_warp.atomics <= most, what + ": too many atomics");
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
void check_add_forms(const Call<T, V>& c) {
  using namespace atomtune;
  const long lanes = __builtin_popcount(c.mask), keys = distinct(c.pattern, c.mask);
  check("naive", c, lanes, [](T* A, uint32_t i, V x, unsigned) { add_naive(A, i, x); });
  check("sr", c, runs(c.pattern, c.mask),
        [](T* A, uint32_t i, V x, unsigned m) { add_sr(A, i, x, m); });
  check("sr from 4", c, lanes,
        [](T* A, uint32_t i, V x, unsigned m) { add_sr(A, i, x, m, 4); });
  check("vr", c, lanes, [](T* A, uint32_t i, V x, unsigned) { add_vr(A, i, x); });
  for (unsigned draw : {0u, 13u, 31u, 77u}) {
    check("vr from 1", c, lanes,
          [=](T* A, uint32_t i, V x, unsigned m) { add_vr(A, i, x, m, draw, 1); });
  }
  check("peers", c, keys, [](T* A, uint32_t i, V x, unsigned m) { add_peers(A, i, x, m); });
  check("match", c, keys, [](T* A, uint32_t i, V x, unsigned m) { add_match(A, i, x, m); });
  check("match of 64-bit indices", c, keys, [](T* A, uint32_t i, V x, unsigned m) {
    add_match(A - (uint64_t(1) << 33), i + (uint64_t(1) << 33), x, m);
  });
  check("peers of 64-bit indices", c, keys, [](T* A, uint32_t i, V x, unsigned m) {
    add_peers(A - (uint64_t(1) << 33), int64_t(i) + (int64_t(1) << 33), x, m);
  });
  // Each lane adds its bit to a mask besides.
  check("hash", c, lanes + keys, [](T* A, uint32_t i, V x, unsigned m) {
    HashPeers::add_to(ArrayTarget<T>{A}, i, x, m, 0);
  });
}

template <typename T, typename V>
void check_fetch_forms(const Call<T, V>& c) {
  using namespace atomtune;
  const long lanes = __builtin_popcount(c.mask), keys = distinct(c.pattern, c.mask);
  check_fetch("fetch naive", c, lanes, false,
              [](T* A, uint32_t i, V x, unsigned) { return fetch_add_naive(A, i, x); });
  check_fetch("fetch sr", c, runs(c.pattern, c.mask), false,
              [](T* A, uint32_t i, V x, unsigned m) { return fetch_add_sr(A, i, x, m); });
  check_fetch("fetch sr from 4", c, lanes, false, [](T* A, uint32_t i, V x, unsigned m) {
    return fetch_add_sr(A, i, x, m, 4);
  });
  check_fetch("fetch vr", c, lanes, false,
              [](T* A, uint32_t i, V x, unsigned) { return fetch_add_vr(A, i, x); });
  for (unsigned draw : {0u, 13u, 77u}) {
    check_fetch("fetch vr from 1", c, lanes, false,
                [=](T* A, uint32_t i, V x, unsigned m) {
                  return fetch_add_vr(A, i, x, m, draw, 1);
                });
  }
  check_fetch("fetch peers", c, keys, true, [](T* A, uint32_t i, V x, unsigned m) {
    return fetch_add_peers(A, i, x, m);
  });
  check_fetch("fetch match", c, keys, true, [](T* A, uint32_t i, V x, unsigned m) {
    return fetch_add_match(A, i, x, m);
  });
  check_fetch("fetch hash", c, lanes + keys, true, [](T* A, uint32_t i, V x, unsigned m) {
    return HashPeers::fetch_add(A, i, x, m, 0);
  });
}

// check_type takes one in three of the patterns with each mask: each is taken by two types.
template <typename T>
void check_type(size_t part, const std::vector<Pattern>& ps, const std::vector<unsigned>& ms) {
  T values[32];
  One ones[32];
  for (int lane = 0; lane < 32; ++lane) values[lane] = T(3 + lane * lane);
  for (const Pattern& p : ps) {
    ++part;
    for (unsigned mask : ms) {
      if (++part % 3 != 0) continue;
      const Call<T, T> loaded{p, mask, values};
      const Call<T, One> one{p, mask, ones};
      check_add_forms(loaded);
      check_add_forms(one);
      check_fetch_forms(loaded);
      check_fetch_forms(one);
    }
  }
}

void check_bits() {
  expect(!atomtune::has_run(0x5u, 2), "has_run: 101 holds no run of 2");
  expect(atomtune::has_run(0xeu, 3), "has_run: 1110 holds a run of 3");
  expect(!atomtune::has_run(0xeu, 4), "has_run: 1110 holds no run of 4");
  expect(!atomtune::has_run(0u, 1), "has_run: 0 holds no run");
  expect(atomtune::lane_span(0, 32) == 0xffffffffu, "lane_span: the whole warp");
  expect(atomtune::lane_span(4, 6) == 0x30u, "lane_span: lanes 4 and 5");
  expect(atomtune::highest_lane(0) == -1, "highest_lane: no lane");
  expect(atomtune::highest_lane(0x80000001u) == 31, "highest_lane: lane 31");
  expect(atomtune::plus(INT32_MAX, 1) == INT32_MIN, "plus: signed integers wrap");
}

// check_places: lanes find their peers where so many of eight indices meet on one place.
void check_places() {
  for (unsigned meet : {1u, 3u, 8u}) {
    uint32_t indices[8];
    unsigned peers[32];
    for (uint32_t k = 0, i = 1; k < 8; ++i) {
      if (atomtune::PeerPlaces::place_of(i) == k / meet) indices[k++] = i;
    }
    the_warp.run(atomtune::full_warp, [&] {
      const int lane = the_warp.current();
      peers[lane] = atomtune::find_peers(atomtune::full_warp, indices[lane * 5 % 8],
                                         atomtune::peer_places[0]);
    });
    for (int lane = 0; lane < 32; ++lane) {
      expect(peers[lane] == 0x01010101u << lane % 8, "find_peers: wrong lanes");
    }
  }
}

}  // namespace

int main() {
  std::mt19937 random(20140612);
  const std::vector<Pattern> ps = patterns(random);
  const std::vector<unsigned> ms = masks(random);
  check_bits();
  check_places();
  check_type<uint32_t>(0, ps, ms);
  check_type<int32_t>(1, ps, ms);
  check_type<float>(2, ps, ms);
  check_type<unsigned long long>(1, ps, ms);
  check_type<long long>(2, ps, ms);
  check_type<double>(0, ps, ms);
  return verdict("atomtune_test", 130000);
}
