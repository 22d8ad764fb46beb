// The working memory of a partition on the emulated grid.
#pragma once

#include <vector>

#include "../atomtune_partition.cuh"

// Memory is the working memory of a call, poisoned.
template <typename T>
struct Memory {
  Memory(size_t updates, uint32_t ranges)
      : place((updates + atomtune::bucket_step * ranges) / 4 + 1),
        value((updates + atomtune::bucket_step * ranges) / 4 + 1),
        count(ranges, 0), start(ranges, 77), next(ranges, 77) {}

  atomtune::Buckets<T> buckets() {
    return {place[0].of, value[0].of, count.data(), start.data(), next.data()};
  }

  std::vector<atomtune::Four<uint16_t>> place;
  std::vector<atomtune::Four<T>> value;
  std::vector<uint32_t> count, start, next;
};
