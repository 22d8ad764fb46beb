// Whether what updates of one target got back can be explained by a serial order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

// Step is one update: what it found, and what its operands make of that, as bits.
struct Step {
  uint64_t old, next;
};

// Components are sets of numbers below a count, joined one pair at a time.
class Components {
 public:
  explicit Components(size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), size_t(0));
  }
  size_t of(size_t k) {
    while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
    return k;
  }
  void join(size_t a, size_t b) { parent_[of(a)] = of(b); }

 private:
  std::vector<size_t> parent_;
};

// has_serial_order reports whether the steps can follow each other, each finding what the
// one before it left, from first to last. With values as nodes and steps as edges that is
// an Eulerian trail, which exists if and only if each value is left as often as it is
// found, first and last counted, and all steps hang together.
inline bool has_serial_order(const std::vector<Step>& steps, uint64_t first,
                             uint64_t last) {
  if (steps.empty()) return first == last;
  std::vector<uint64_t> found{last}, left{first};
  for (const Step& step : steps) {
    found.push_back(step.old);
    left.push_back(step.next);
  }
  std::sort(found.begin(), found.end());
  std::sort(left.begin(), left.end());
  if (found != left) return false;
  found.erase(std::unique(found.begin(), found.end()), found.end());
  const auto number = [&](uint64_t value) {
    return size_t(std::lower_bound(found.begin(), found.end(), value) - found.begin());
  };
  Components components(found.size());
  for (const Step& step : steps) components.join(number(step.old), number(step.next));
  const size_t one = components.of(number(first));
  for (size_t k = 0; k < found.size(); ++k) {
    if (components.of(k) != one) return false;
  }
  return true;
}
