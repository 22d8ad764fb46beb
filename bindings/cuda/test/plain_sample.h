// Where a target is in a table of hot ones, and what a sample finds, with plain
// arithmetic on the host.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "../atomtune_hot_tags.cuh"

inline uint32_t slot_of(uint32_t target, uint32_t table) {
  const uint64_t hash = uint64_t(target) * 2654435761u % (uint64_t(1) << 32);
  return uint32_t(hash * table >> 32);
}

// Sampled is a table that was filled by a sample, and the targets that were sampled.
struct Sampled {
  std::vector<uint32_t> tags;
  std::set<uint32_t> targets;
};

// plain_sample does what sample_hot says, with counts in a map.
inline Sampled plain_sample(const std::vector<uint32_t>& index, atomtune::HotSample sample,
                            uint32_t blocks) {
  std::vector<uint32_t> read;
  const size_t n = index.size();
  for (size_t j = 0; n <= sample.samples && j < n; ++j) read.push_back(index[j]);
  for (size_t j = 0; n > sample.samples && j < sample.samples; ++j) {
    const uint64_t golden = j * 2654435769u % (uint64_t(1) << 32);  // a fraction of 2^32
    read.push_back(index[(j * n + golden * n / (uint64_t(1) << 32)) / sample.samples]);
  }
  const uint32_t each = sample.slots / blocks;
  const auto counter = [&](uint32_t target) {
    const uint32_t hash = target * 2246822519u;
    const uint32_t counters = std::max(4096u, 8 * each);
    return std::pair(slot_of(target, sample.slots) / each, uint64_t(hash) * counters >> 32);
  };
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> count;
  for (uint32_t target : read) ++count[counter(target)];
  Sampled result{std::vector<uint32_t>(sample.slots, atomtune::no_target),
                 {read.begin(), read.end()}};
  std::vector<uint32_t> best(sample.slots, 1);
  for (uint32_t target : read) {  // in their order: ties go to the earliest
    const uint32_t slot = slot_of(target, sample.slots), c = count[counter(target)];
    if (c <= best[slot]) continue;
    best[slot] = c;
    result.tags[slot] = target;
  }
  return result;
}
