// Tests of sums in fixed point at their edges, without a warp: words that are full, ties,
// subnormals, overflow. Run by `make test`.
#include "warp_emulator.h"

#include "atomtune_deterministic.cuh"

#include "check.h"
#include "exact_sum.h"

namespace {

using namespace atomtune;

template <typename T>
using Sum = FixedSum<fixed_words<T>>;

template <typename T>
bool same(T x, T y) {
  return std::memcmp(&x, &y, sizeof x) == 0;
}

// sum_of is old and the values, added without a warp.
template <typename T>
T sum_of(T old, const std::vector<T>& values, size_t updates) {
  uint32_t top = 0;
  Sum<T> sum(0);
  for (const T v : values) top = std::max(top, uint32_t(parts_of(v).place % no_place<T>));
  const int bits = fixed_bits(updates);
  for (const T v : values) sum = sum + to_fixed<fixed_words<T>>(v, int(top), bits);
  return finished(old, sum, int(top), bits);
}

// check_many adds 2^16 numbers of the greatest exponent, the words' fullest state, and some
// that are as small as may be.
template <typename T>
void check_many(const std::string& type) {
  const size_t n = size_t(1) << 16;
  const int p = std::numeric_limits<T>::digits;
  const int all = fixed_words<T> * fixed_bits(n);
  for (const T sign : {T(1), T(-1)}) {
    const T most = sign * std::ldexp(T(2) - std::numeric_limits<T>::epsilon(), 90);
    std::vector<T> values(n, most);
    expect(sum_of(T(0), values, n) == most * T(n), type + ": full words");
    values.back() = -values.back();
    expect(sum_of(T(0), values, n) == T(n - 2) * most, type + ": full words less one");
    ExactSum exact;
    for (size_t k = 0; k < n; ++k) {
      values[k] = k % 2 == 0 ? most : sign * std::ldexp(T(1), 90 + p - all);
      exact.add(double(values[k]));
    }
    expect(is_nearest(exact, sum_of(T(0), values, n)), type + ": great and small");
    for (size_t k = 0; k < n; k += 2) values[k] = k % 4 == 0 ? most : -most;
    expect(sum_of(T(0), values, n) == sign * std::ldexp(T(n / 2), 90 + p - all),
           type + ": small ones under great ones that cancel");
  }
}

template <typename T>
void check_edges(const std::string& type) {
  using Limits = std::numeric_limits<T>;
  const T tiny = Limits::denorm_min(), most = Limits::max(), half = Limits::epsilon() / 2;
  const T inf = Limits::infinity();
  const auto is = [&](T old, const std::vector<T>& values, T want, const char* what) {
    expect(same(sum_of(old, values, values.size()), want), type + ": " + what);
  };
  is(T(-0.0), {T(0)}, T(-0.0), "a sum of zero keeps the target");
  is(T(0), {T(-0.0)}, T(0), "-0 adds nothing");
  is(T(1), {T(-1)}, T(0), "a target that is cancelled");
  is(T(0), {tiny}, tiny, "one subnormal");
  is(Limits::min(), {-tiny}, Limits::min() - tiny, "into the subnormals");
  is(most, {most}, inf, "overflow");
  is(-most, {-most}, -inf, "overflow below");
  is(-most, {most, most}, most, "overflow on the way alone");
  is(most, {most * half / 2}, most, "below half of the last place of the greatest");
  is(most, {std::ldexp(most, -1 - Limits::digits)}, most, "just below the tie");
  is(most, {std::ldexp(T(1), Limits::max_exponent - 1 - Limits::digits)}, inf, "a tie there");
  is(T(1), {half}, T(1), "a tie to even");
  is(T(1), {half, std::ldexp(half, -40)}, T(1) + 2 * half, "a tie that a small number breaks");
  is(T(1) + 2 * half, {half}, T(1) + 4 * half, "a tie from odd");
  is(tiny, {T(1), half}, T(1) + 2 * half, "a tie that the target breaks");
  is(-tiny, {T(1), half}, T(1), "a tie that the target breaks downwards");
  is(most, {tiny}, most, "a sum far below its target");
  is(T(1), {-tiny}, T(1), "a sum far below a power of two");
  is(tiny, {most}, most, "a target far below its sum");
}

// check_bits holds that so many digits fit a word, and no bit more would.
void check_bits() {
  for (const size_t n : {size_t(0), size_t(1)}) expect(fixed_bits(n) == 61, "one value");
  for (int k = 1; k <= 40; ++k) {
    const size_t n = size_t(1) << k;
    expect(fixed_bits(n) == 61 - k, "a power of two");
    expect(fixed_bits(n + 1) == 60 - k, "one more");
  }
}

}  // namespace

int main() {
  check_bits();
  check_edges<float>("f32");
  check_edges<double>("f64");
  check_many<float>("f32");
  check_many<double>("f64");
  return verdict("fixed_edges_test", 136);
}
