// Tests of the float atomics on an emulated warp whose lanes give way to each other at
// random before each atomic. Run by `make test`.
#include "warp_emulator.h"

#include "float_form.h"

#include "edges.h"
#include "float_verdict.h"
#include "patterns.h"

namespace {

constexpr unsigned calls = 4;  // of each lane

// warp_updates are the updates of a warp's lanes, those of lane k from k * calls on.
template <typename T>
std::vector<Update<T>> warp_updates(Kind kind, uint32_t bins, std::mt19937_64& random) {
  return make_updates<T>(kind.op, kind.values, 32 * calls, bins, random);
}

template <typename T>
std::vector<T> first_values(Op op, uint32_t bins) {
  std::vector<T> first(bins);
  for (uint32_t k = 0; k < bins; ++k) first[k] = first_value<T>(op, k);
  return first;
}

// run_lanes has each lane of mask make its updates by update and keeps what it got.
template <typename T, typename UpdateOne>
std::vector<T> run_lanes(const std::vector<Update<T>>& updates, unsigned mask,
                         std::vector<T>& A, UpdateOne update) {
  std::vector<T> old(updates.size());
  the_warp.atomics = 0;
  the_warp.run(mask, [&] {
    const unsigned lane = unsigned(the_warp.current());
    for (unsigned u = lane * calls; u < (lane + 1) * calls; ++u) {
      old[u] = update(&A[updates[u].target], updates[u].a, updates[u].b);
    }
  });
  return old;
}

// keep_active drops what lanes outside mask would have done.
template <typename T>
void keep_active(unsigned mask, std::vector<Update<T>>& updates, std::vector<T>& old) {
  size_t kept = 0;
  for (size_t u = 0; u < updates.size(); ++u) {
    if (!(mask >> u / calls & 1u)) continue;
    updates[kept] = updates[u];
    old[kept++] = old[u];
  }
  updates.resize(kept);
  old.resize(kept);
}

template <typename T>
void check_kind(Kind kind, uint32_t bins, unsigned mask, std::mt19937_64& random) {
  std::vector<Update<T>> updates = warp_updates<T>(kind, bins, random);
  const std::vector<T> first = first_values<T>(kind.op, bins);
  std::vector<T> got = first, old;
  with_op(kind.op, [&](auto op) {
    old = run_lanes(updates, mask, got, [](T* target, T a, T b) {
      return update_float<decltype(op)::value>(target, a, b);
    });
  });
  keep_active(mask, updates, old);
  const std::string what = kind.name() + ", " + std::to_string(bins) + " targets, mask " +
                           std::to_string(mask);
  expect(all_serial(kind.op, updates, old, first, got), what + ": no serial order");
  if (kind.values == Values::real) return;
  expect(same_bits(got, folded(kind.op, updates, first)), what + ": wrong result");
}

// check_extremes_cost demands one atomic per update of numbers: no loop.
template <typename T>
void check_extremes_cost(Op kind, std::mt19937_64& random) {
  std::vector<Update<T>> updates = warp_updates<T>({kind, Values::real}, 2, random);
  std::vector<T> A(2, T(1));
  with_op(kind, [&](auto op) {
    run_lanes(updates, atomtune::full_warp, A, [](T* target, T a, T b) {
      return update_float<decltype(op)::value>(target, a, b);
    });
  });
  expect(the_warp.atomics == 32 * calls, std::string(name_of(kind)) + ": several atomics");
}

template <typename T>
void check_match(Kind kind, const Pattern& p, unsigned mask, std::mt19937_64& random) {
  std::vector<Update<T>> updates = make_updates<T>(kind.op, kind.values, 32, 1, random);
  const std::vector<T> first = first_values<T>(kind.op, pattern_targets);
  std::vector<T> got = first, want = first;
  for (unsigned lane = 0; lane < 32; ++lane) updates[lane].target = p.index[lane];
  with_op(kind.op, [&](auto op) {
    if constexpr (has_match(decltype(op)::value)) {
      the_warp.run(mask, [&] {
        const Update<T>& mine = updates[size_t(the_warp.current())];
        match_float<decltype(op)::value>(got.data(), mine.target, mine.a);
      });
    }
  });
  for (unsigned lane = 0; lane < 32; ++lane) {
    const Update<T>& u = updates[lane];
    if (mask >> lane & 1u) want[u.target] = updated(kind.op, want[u.target], u.a, u.b);
  }
  expect(same_bits(got, want), kind.name() + " matched on " + p.name + ": wrong result");
}

// check_control demands that a loop which gives up after one failure loses updates here:
// else the lanes never meet, and the other checks show nothing.
void check_control(std::mt19937_64& random) {
  const Kind kind{Op::mad, Values::exact};
  std::vector<Update<float>> updates = warp_updates<float>(kind, 1, random);
  std::vector<float> got(1, 3.0f);
  const std::vector<float> first = got;
  const std::vector<float> old = run_lanes(
      updates, atomtune::full_warp, got, [](float* target, float a, float b) {
        const unsigned was = atomtune::read_word(target);
        const float next = atomtune::fused(a, b, atomtune::real_of(was));
        atomicCAS(reinterpret_cast<unsigned*>(target), was, atomtune::word_of(next));
        return atomtune::real_of(was);
      });
  expect(!all_serial(kind.op, updates, old, first, got),
         "a loop that gives up has a serial order");
}

template <typename T>
long check_edges() {
  const std::vector<Edge<T>> edges = read_edges<T>();
  for (const Edge<T>& e : edges) {
    T target = e.old, old = T(0);
    with_op(e.op, [&](auto op) {
      the_warp.run(1u, [&] {
        old = update_float<decltype(op)::value>(&target, e.a, e.b);
      });
    });
    const std::string where = std::string(edges_path) + ":" + std::to_string(e.line);
    expect(bits_of(target) == bits_of(e.next), where + ": wrong target");
    expect(bits_of(old) == bits_of(e.old), where + ": wrong old value");
  }
  return long(edges.size());
}

void check_serial_order() {
  expect(has_serial_order({}, 7, 7), "nothing was done");
  expect(!has_serial_order({}, 7, 8), "a change without an update");
  expect(has_serial_order({{2, 3}, {1, 2}, {3, 1}, {1, 1}}, 1, 1), "round and round");
  expect(!has_serial_order({{1, 2}, {1, 2}}, 1, 2), "two that found the same");
  expect(!has_serial_order({{1, 2}, {3, 4}, {4, 3}}, 1, 2), "a ring of its own");
  expect(!has_serial_order({{1, 2}}, 1, 3), "another end");
  expect(!has_serial_order({{1, 2}, {5, 5}}, 1, 2), "a value that never was");
}

template <typename T>
void check_type(const std::vector<Pattern>& ps, const std::vector<unsigned>& ms,
                std::mt19937_64& random) {
  for (const Kind& kind : kinds()) {
    for (uint32_t bins : {1u, 3u, 64u}) {
      for (unsigned mask : ms) check_kind<T>(kind, bins, mask, random);
    }
    if (!has_match(kind.op) || kind.values == Values::real) continue;
    for (const Pattern& p : ps) {
      for (unsigned mask : ms) check_match<T>(kind, p, mask, random);
    }
  }
  check_extremes_cost<T>(Op::min, random);
  check_extremes_cost<T>(Op::max, random);
}

}  // namespace

int main() {
  std::mt19937 random(20110901);
  std::mt19937_64 values(1);
  const std::vector<Pattern> ps = patterns(random);
  const std::vector<unsigned> ms = masks(random);
  check_serial_order();
  expect(check_edges<float>() == 1568, "f32: edges are missing");
  expect(check_edges<double>() == 1568, "f64: edges are missing");
  the_warp.interleave(1);
  check_control(values);
  check_type<float>(ps, ms, values);
  check_type<double>(ps, ms, values);
  return verdict("float_test", 10000);
}
