// What the tests of the float atomics have in common: the operations as plain C++,
// streams of updates whose result does not depend on their order, and streams of reals.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

enum class Op { add, mul, mad, div, min, max };

inline const char* name_of(Op op) {
  const char* const names[] = {"add", "mul", "mad", "div", "min", "max"};
  return names[static_cast<int>(op)];
}

// smaller_of lets a NaN give way to any number and puts -0 below 0.
template <typename T>
T smaller_of(T x, T y) {
  if (std::isnan(y)) return x;
  if (std::isnan(x)) return y;
  if (x == y) return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

// updated is what op makes of old.
template <typename T>
T updated(Op op, T old, T a, T b) {
  switch (op) {
    case Op::add:
      return old + a;
    case Op::mul:
      return old * a;
    case Op::mad:
      return std::fma(a, b, old);
    case Op::div:
      return old / a;
    case Op::min:
      return smaller_of(old, a);
    case Op::max:
      return -smaller_of(-old, -a);
  }
  return old;
}

// bits_of gives every NaN the same bits.
template <typename T>
uint64_t bits_of(T x) {
  if (std::isnan(x)) x = std::numeric_limits<T>::quiet_NaN();
  uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}

// Values are the kinds of operands. Those of exact give the same result in any order:
// whole numbers, powers of two with a sign; any bits for min and max. zeros are 0, -0 and
// NaN. Those of real round.
enum class Values { exact, zeros, real };

inline const char* name_of(Values values) {
  const char* const names[] = {"exact", "zeros", "reals"};
  return names[static_cast<int>(values)];
}

// Update is one update of the stream: a target and one or two operands.
template <typename T>
struct Update {
  uint32_t target;
  T a, b;
};

template <typename T>
T any_bits(std::mt19937_64& random) {
  const uint64_t bits = random();
  T x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

template <typename T>
T any_zero(std::mt19937_64& random) {
  const T zeros[] = {T(0), -T(0), std::numeric_limits<T>::quiet_NaN(),
                     -std::numeric_limits<T>::quiet_NaN()};
  return zeros[random() % 4];
}

// power_of_two is 1 or -1 but for the first updates, which double and halve in turn: no
// order of them, nor a product of some, leaves the range of floats.
template <typename T>
T power_of_two(size_t update, std::mt19937_64& random) {
  const T size = update >= 64 ? T(1) : update % 2 == 0 ? T(2) : T(0.5);
  return random() % 2 == 0 ? size : -size;
}

template <typename T>
T whole(std::mt19937_64& random) {
  return T(int(random() % 6) - 2);  // -2 to 3
}

template <typename T>
T operand(Op op, Values values, size_t update, std::mt19937_64& random) {
  const bool scales = op == Op::mul || op == Op::div;
  switch (values) {
    case Values::zeros:
      return any_zero<T>(random);
    case Values::real:
      if (scales) return std::uniform_real_distribution<T>(T(0.999), T(1.001))(random);
      return std::uniform_real_distribution<T>(T(-1), T(2))(random);
    case Values::exact:
      if (op == Op::min || op == Op::max) return any_bits<T>(random);
      return scales ? power_of_two<T>(update, random) : whole<T>(random);
  }
  return T(0);
}

// first_value is what a target holds before its updates: for extremes a NaN, of which
// either sign is in somebody's way.
template <typename T>
T first_value(Op op, uint32_t target) {
  if (op != Op::min && op != Op::max) return T(3);
  const T nan = std::numeric_limits<T>::quiet_NaN();
  return target % 3 == 0 ? nan : target % 3 == 1 ? -nan : T(1);
}

template <typename T>
std::vector<Update<T>> make_updates(Op op, Values values, size_t count, uint32_t bins,
                                    std::mt19937_64& random) {
  std::vector<Update<T>> updates(count);
  for (size_t u = 0; u < count; ++u) {
    updates[u].target = uint32_t(random() % bins);
    updates[u].a = operand<T>(op, values, u, random);
    updates[u].b = operand<T>(op, values, u, random);
  }
  return updates;
}

// Kind is an operation with operands for it.
struct Kind {
  Op op;
  Values values;
  std::string name() const { return std::string(name_of(op)) + " of " + name_of(values); }
};

inline std::vector<Kind> kinds() {
  return {{Op::add, Values::exact}, {Op::add, Values::real},  {Op::mul, Values::exact},
          {Op::mul, Values::real},  {Op::mad, Values::exact}, {Op::mad, Values::real},
          {Op::div, Values::exact}, {Op::div, Values::real},  {Op::min, Values::exact},
          {Op::min, Values::zeros}, {Op::max, Values::exact}, {Op::max, Values::zeros}};
}
