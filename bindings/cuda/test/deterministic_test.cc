// Tests of sums that are the same bits on every run, on an emulated warp: through every
// form, in any order, against exact sums. Run by `make test`.
#include "warp_emulator.h"

#include "atomtune_deterministic.cuh"
#include "atomtune_hot_tags.cuh"
#include "atomtune_index.cuh"
#include "atomtune_ranges.cuh"

#include "emulated_grid.h"
#include "exact_sum.h"
#include "float_updates.h"

namespace {

template <typename T>
using Sum = FixedSum<fixed_words<T>>;

// Spread is a kind of values.
enum class Spread { whole, real, wide, subnormal, greatest, zeros };

template <typename T>
T any_value(Spread spread, std::mt19937_64& random) {
  using Limits = std::numeric_limits<T>;
  const T sign = random() % 2 == 0 ? T(1) : T(-1);
  const T real = std::uniform_real_distribution<T>(T(0), T(1))(random);
  switch (spread) {
    case Spread::whole:
      return T(int(random() % 9) - 4);
    case Spread::real:
      return sign * real;
    case Spread::wide:
      return sign * std::ldexp(T(1) + real, int(random() % 200) - 100);
    case Spread::subnormal:
      return sign * T(random() % 1000) * Limits::denorm_min();
    case Spread::greatest:
      return sign * (Limits::max() - Limits::max() * Limits::epsilon() * T(random() % 4));
    case Spread::zeros:
      return sign * T(0);
  }
  return T(0);
}

// Updates are a stream with values, and what the targets hold before.
template <typename T>
struct Updates {
  Stream stream;
  std::vector<T> values, first;
  size_t number() const { return values.size(); }
  const uint32_t* index() const { return stream.index.data(); }
};

// add_up runs the call, with the updates of the sums made by update(sums, values).
template <typename S, typename T, typename Update>
std::vector<T> add_up(const Updates<T>& u, Update update, Finish finish = Finish::add) {
  std::vector<S> sums(u.first.size(), S(0));
  std::vector<LastWord> last(u.first.size(), LastWord(0));
  std::vector<T> out = u.first;
  uint32_t top = 0;
  const Loaded<T> loaded{u.values.data()};
  run(2, [&] { find_scale(&top, loaded, u.number()); });
  const auto fixed = fixed_point<T>(loaded, &top, u.number());
  if constexpr (std::is_same_v<S, Sum<T>>) {
    update(sums.data(), fixed);
  } else {
    update(sums.data(), last_apart(fixed, last.data()));
  }
  run(2, [&] {
    finish_fixed(out.data(), sums.data(), out.size(), &top, u.number(), finish, last.data());
  });
  return out;
}

// add_touched clears and finishes only what the updates touch.
template <typename T>
std::vector<T> add_touched(const Updates<T>& u) {
  const size_t targets = u.first.size(), n = u.number();
  FirstWords<T> before(0);
  before.word[0] = 77;
  std::vector<FirstWords<T>> sums(targets, before);
  std::vector<LastWord> last(targets, LastWord::of_kind(SumKind::nan));
  std::vector<T> out = u.first;
  uint32_t top = 0;
  const Loaded<T> loaded{u.values.data()};
  const ClearTouched<FirstWords<T>, const uint32_t*> clear{sums.data(), last.data(), u.index()};
  run(2, [&] { find_scale(&top, loaded, n, clear); });
  const auto fixed = last_apart(fixed_point<T>(loaded, &top, n), last.data());
  run(3, [&] { global_update<Naive>(sums.data(), u.index(), fixed, n); });
  run(2, [&] { finish_touched(out.data(), sums.data(), last.data(), u.index(), &top, n); });
  return out;
}

template <typename T>
std::vector<T> add_plainly(const Updates<T>& u, Finish finish = Finish::add) {
  return add_up<Sum<T>>(u, [&](Sum<T>* sums, auto values) {
    run(3, [&] { global_update<Naive>(sums, u.index(), values, u.number()); });
  }, finish);
}

template <typename T>
bool same(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

template <typename T>
Updates<T> make_stream(const Stream& s, Spread spread, std::mt19937_64& random) {
  Updates<T> u{s, {}, {}};
  for (size_t k = 0; k < s.index.size(); ++k) u.values.push_back(any_value<T>(spread, random));
  for (uint32_t k = 0; k < s.bins; ++k) {
    u.first.push_back(k % 3 == 0 ? T(0) : any_value<T>(spread, random));
  }
  return u;
}

template <typename T>
Updates<T> shuffled(const Updates<T>& u, std::mt19937_64& random) {
  Updates<T> result = u;
  for (size_t k = u.number(); k > 1; --k) {
    const size_t other = random() % k;
    std::swap(result.values[k - 1], result.values[other]);
    std::swap(result.stream.index[k - 1], result.stream.index[other]);
  }
  return result;
}

// check_forms demands the same bits of every form and launch, each in an order of its own.
template <typename S, typename T>
void check_forms_of(const Updates<T>& u, const std::string& what, std::mt19937_64& random) {
  const std::vector<T> want = add_plainly(u);
  const uint32_t bins = u.stream.bins;
  std::vector<uint32_t> tags(16, no_target);
  for (uint32_t k = 0; k < bins; k += 2) tags[hot_slot(k, 28)] = k;
  const HotTable table{16, 2, tags.data()};
  const Copies copies{bins, 3, 1, false};
  std::vector<S> shared(copies.words());
  std::vector<double> hot_shared(table.bytes<S>() / sizeof(double) + 1);
  for_each_form([&](auto form) {
    using Form = decltype(form);
    const auto check = [&](const char* name, auto kernel) {
      const Updates<T> mixed = shuffled(u, random);
      const std::vector<T> got = add_up<S>(mixed, [&](S* sums, auto values) {
        run(3, [&] { kernel(sums, mixed.index(), values); });
      });
      expect(same(got, want), std::string(name) + " of " + what + ": other bits");
    };
    check("global_update", [&](S* A, const uint32_t* index, auto values) {
      global_update<Form, 2>(A, index, values, u.number());
    });
    check("private_update", [&](S* A, const uint32_t* index, auto values) {
      private_update<Form>(A, index, values, u.number(), copies, shared.data());
    });
    check("ranges", [&](S* A, const uint32_t* index, auto values) {
      private_update<Form>(A, index, values, u.number(), RangedCopies{copies, 2},
                           shared.data());
    });
    check("hot_update", [&](S* A, const uint32_t* index, auto values) {
      hot_update<Form>(A, index, values, u.number(), table, hot_shared.data());
    });
  });
}

template <typename T>
void check_forms(const Updates<T>& u, const std::string& what, std::mt19937_64& random) {
  check_forms_of<Sum<T>>(u, what, random);
  check_forms_of<FirstWords<T>>(u, what + ", last words apart", random);
  expect(same(add_touched(u), add_plainly(u)), "touched targets of " + what + ": other bits");
}

// check_threadprivate demands the bits of plain atomics of counters without.
template <typename S, typename T>
void check_threadprivate(const Updates<T>& u, const std::string& what) {
  const uint32_t bins = u.stream.bins, blocks = 2;
  std::vector<S> shared(bins * size_t(32)), partial(bins * size_t(blocks));
  const std::vector<T> got = add_up<S>(u, [&](S* sums, auto values) {
    run(blocks, [&] {
      threadprivate_update(partial.data(), u.index(), values, u.number(), bins,
                           shared.data());
    });
    run(bins, [&] { sum_partials(sums, partial.data(), bins, blocks); });
  });
  expect(same(got, add_plainly(u)), "threadprivate_update of " + what + ": other bits");
}

// exact_sums are those of the targets with what they held, m their numbers of updates.
template <typename T>
std::vector<ExactSum> exact_sums(const Updates<T>& u, std::vector<int>& m) {
  std::vector<ExactSum> sums(u.first.size());
  m.assign(u.first.size(), 0);
  for (size_t k = 0; k < u.first.size(); ++k) sums[k].add(double(u.first[k]));
  for (size_t k = 0; k < u.number(); ++k) {
    sums[u.stream.index[k]].add(double(u.values[k]));
    ++m[u.stream.index[k]];
  }
  return sums;
}

// check_bound demands that each result rounds a number that is off by m q/2 at most, and the
// exact sum where no value is too small for that.
template <typename T>
void check_bound(const Updates<T>& u, const std::string& what) {
  const std::vector<T> got = add_plainly(u);
  T greatest = std::numeric_limits<T>::min(), least = std::numeric_limits<T>::max();
  for (const T v : u.values) {
    greatest = std::max(greatest, std::fabs(v));
    if (v != 0) least = std::min(least, std::fabs(v));
  }
  const int p = std::numeric_limits<T>::digits, E = std::ilogb(greatest);
  const int all = fixed_words<T> * fixed_bits(u.number());
  const bool exact = std::ilogb(least) >= E + p - all;
  std::vector<int> m;
  const std::vector<ExactSum> sums = exact_sums(u, m);
  for (size_t k = 0; k < got.size(); ++k) {
    if (exact || m[k] == 0) {
      expect(is_nearest(sums[k], got[k]), what + ": not the nearest");
      continue;
    }
    // The bound: got - exact between the two, half a unit of the last place of got beside.
    for (const int side : {-1, 1}) {
      ExactSum slack = sums[k];
      slack.add(-double(got[k]));
      slack.add(side * double(m[k]), E - all);
      slack.add(side * std::ldexp(1.0, std::max(std::ilogb(got[k]), -1022) - p));
      expect(slack.sign() * side >= 0, what + ": beyond the bound");
    }
  }
}

template <typename T>
void check_type(const std::string& type, std::mt19937_64& random) {
  std::mt19937 order(20261123);
  const std::vector<Stream> streams{{{}, 3}, random_stream(order, 77, 9),
                                    random_stream(order, 40, 30),
                                    {std::vector<uint32_t>(100, 1), 2}};
  const Spread spreads[] = {Spread::whole,     Spread::real,     Spread::wide,
                            Spread::subnormal, Spread::greatest, Spread::zeros};
  for (const Stream& s : streams) {
    for (const Spread spread : spreads) {
      const std::string what = type + ", spread " + std::to_string(int(spread)) + ", " +
                               std::to_string(s.index.size()) + " updates";
      check_forms(make_stream<T>(s, spread, random), what, random);
      check_threadprivate<Sum<T>>(make_stream<T>(s, spread, random), what);
      check_threadprivate<FirstWords<T>>(make_stream<T>(s, spread, random), what);
      for (int repeat = 0; repeat < 20; ++repeat) {
        check_bound(make_stream<T>(s, spread, random), what);
      }
    }
  }
}

// check_special adds what is no number.
template <typename T>
void check_special(const std::string& type, std::mt19937_64& random) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  std::mt19937 order(5);
  Updates<T> u{random_stream(order, 90, 8), {}, {}};
  for (size_t k = 0; k < u.stream.index.size(); ++k) {
    const uint32_t target = u.stream.index[k] = uint32_t(k % 8);
    const bool odd = k >= 40 && k < 64;
    const T special[] = {T(1), inf, -inf, nan, -nan, k % 16 < 8 ? inf : -inf, T(2), inf};
    u.values.push_back(odd ? special[target] : T(1) / T(3));
  }
  u.first = {T(1), T(1), T(1), T(1), T(1), T(1), -inf, -inf};
  const std::vector<T> want = add_plainly(u);
  expect(std::isfinite(want[0]), type + ": finite beside others");
  expect(want[1] == inf && want[2] == -inf, type + ": infinities");
  expect(std::isnan(want[3]) && bits_of(want[3]) == bits_of(want[4]), type + ": NaN");
  expect(same<T>({want[3]}, {want[4]}), type + ": NaN of the same bits");
  expect(same<T>({want[3]}, {want[5]}), type + ": infinities of both signs");
  expect(want[6] == -inf && std::isnan(want[7]), type + ": infinite targets");
  check_forms(u, type + " with infinities", random);
}

// check_left_out demands that an update that is left out reaches no word.
template <typename T>
void check_left_out() {
  std::mt19937_64 random(3);
  std::mt19937 order(3);
  Updates<T> u = make_stream<T>(random_stream(order, 200, 6), Spread::wide, random);
  uint32_t error = 0;
  const CheckedIndex<uint32_t> index{u.index(), &error, 2, 5, true};
  const std::vector<T> got = add_up<FirstWords<T>>(u, [&](FirstWords<T>* sums, auto values) {
    run(3, [&] { global_update<Match, 4>(sums, index, values, u.number()); });
  });
  const std::vector<T> want = add_plainly(u);
  for (size_t k = 0; k < got.size(); ++k) {
    const T of = k == 2 || k == 5 ? u.first[k] : want[k];
    expect(bits_of(got[k]) == bits_of(of), "updates that are left out");
  }
  expect(error == 1, "an index out of range");
}

// check_scale demands the greatest place of values at any address and of any number.
template <typename T>
void check_scale() {
  std::mt19937_64 random(11);
  std::vector<T> values;
  for (int k = 0; k < 300; ++k) values.push_back(any_value<T>(Spread::wide, random));
  values[7] = std::numeric_limits<T>::infinity();
  values[9] = std::numeric_limits<T>::quiet_NaN();
  for (size_t first = 0; first < 10; ++first) {
    for (size_t n = 0; n < 290; n += 1 + n / 8) {
      uint32_t top = 0;
      int want = 1;
      for (size_t k = first; k < first + n; ++k) {
        if (std::isfinite(values[k])) want = std::max(want, parts_of(values[k]).place);
      }
      run(2, [&] { find_scale(&top, Loaded<T>{values.data() + first}, n); });
      expect(int(top) == want, "the scale of " + std::to_string(n) + " values");
    }
  }
}

template <typename T>
void check_store() {
  std::mt19937_64 random(9);
  std::mt19937 order(9);
  Updates<T> u = make_stream<T>(random_stream(order, 70, 20), Spread::real, random);
  const std::vector<T> stored = add_plainly(u, Finish::store);
  u.first.assign(u.first.size(), T(0));
  expect(same(stored, add_plainly(u)), "Finish::store: what the targets held is left out");
}

}  // namespace

int main() {
  std::mt19937_64 random(1);
  the_warp.interleave(1);
  check_left_out<float>();
  check_left_out<double>();
  check_scale<float>();
  check_scale<double>();
  check_store<float>();
  check_store<double>();
  check_special<float>("f32", random);
  check_special<double>("f64", random);
  check_type<float>("f32", random);
  check_type<double>("f64", random);
  return verdict("deterministic_test", 14000);
}
