// The verdict on what a stream of float updates left and returned.
#pragma once

#include "check.h"
#include "float_updates.h"
#include "serial_order.h"

// folded is what the targets hold after the updates one after another. Streams of exact
// values and of zeros have no other result.
template <typename T>
std::vector<T> folded(Op op, const std::vector<Update<T>>& updates, std::vector<T> A) {
  for (const Update<T>& u : updates) A[u.target] = updated(op, A[u.target], u.a, u.b);
  return A;
}

template <typename T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](T a, T b) { return bits_of(a) == bits_of(b); });
}

// all_serial reports whether each target's updates had a serial order from first to got,
// old being what each update returned.
template <typename T>
bool all_serial(Op op, const std::vector<Update<T>>& updates, const std::vector<T>& old,
                const std::vector<T>& first, const std::vector<T>& got) {
  std::vector<std::vector<Step>> steps(first.size());
  for (size_t u = 0; u < updates.size(); ++u) {
    const T next = updated(op, old[u], updates[u].a, updates[u].b);
    steps[updates[u].target].push_back({bits_of(old[u]), bits_of(next)});
  }
  for (size_t k = 0; k < first.size(); ++k) {
    if (!has_serial_order(steps[k], bits_of(first[k]), bits_of(got[k]))) return false;
  }
  return true;
}
