// The order of ss, made on the host: round after round, one update of each target
// that has any left, [egielski14] Algorithm 3. Updates performed in this order meet
// few equal indices in a warp and in flight, so that plain atomics rarely collide. The
// order pays where it is made once and used for many calls. Plain C++, no GPU needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace atomtune {

// target_counts returns how many of the updates each of the bins targets receives.
template <typename I>
std::vector<size_t> target_counts(const I* index, size_t updates, size_t bins) {
  std::vector<size_t> count(bins);
  for (size_t u = 0; u < updates; ++u) {
    if (static_cast<uint64_t>(index[u]) >= bins) {
      throw std::out_of_range("index " + std::to_string(index[u]) + " of update " +
                              std::to_string(u) + " is not below " +
                              std::to_string(bins));
    }
    ++count[static_cast<size_t>(index[u])];
  }
  return count;
}

// round_starts returns where the next update of each round goes: round r has as many
// updates as there are targets with more than r.
inline std::vector<size_t> round_starts(const std::vector<size_t>& count) {
  size_t rounds = 0;
  for (size_t c : count) rounds = c > rounds ? c : rounds;
  std::vector<size_t> starts(rounds + 1);
  for (size_t c : count) {
    if (c > 0) ++starts[c - 1];
  }
  for (size_t r = rounds; r-- > 0;) starts[r] += starts[r + 1];
  size_t start = 0;
  for (size_t r = 0; r < rounds; ++r) {
    const size_t width = starts[r];
    starts[r] = start;
    start += width;
  }
  return starts;
}

// scatter_order returns the order: position p performs update order[p]. Within a round
// targets ascend, and a target's updates keep their order. Indices are below bins, and
// there are fewer than 2^32 updates; else it throws std::out_of_range. Time and
// memory are linear in updates and bins.
template <typename I>
std::vector<uint32_t> scatter_order(const I* index, size_t updates, size_t bins) {
  if (updates > UINT32_MAX) {
    throw std::out_of_range(std::to_string(updates) + " updates are too many to order");
  }
  const std::vector<size_t> count = target_counts(index, updates, bins);
  std::vector<size_t> next = round_starts(count);

  std::vector<size_t> group(bins + 1);
  for (size_t k = 0; k < bins; ++k) group[k + 1] = group[k] + count[k];
  std::vector<uint32_t> by_target(updates);
  std::vector<size_t> fill(group.begin(), group.end() - 1);
  for (size_t u = 0; u < updates; ++u) {
    by_target[fill[static_cast<size_t>(index[u])]++] = static_cast<uint32_t>(u);
  }

  std::vector<uint32_t> order(updates);
  for (size_t k = 0; k < bins; ++k) {
    for (size_t r = 0; r < count[k]; ++r) order[next[r]++] = by_target[group[k] + r];
  }
  return order;
}

// reordered returns items in the order.
template <typename T>
std::vector<T> reordered(const std::vector<T>& items, const std::vector<uint32_t>& order) {
  std::vector<T> result(order.size());
  for (size_t p = 0; p < order.size(); ++p) result[p] = items[order[p]];
  return result;
}

}  // namespace atomtune
