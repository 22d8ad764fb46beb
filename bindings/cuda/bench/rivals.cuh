// What CUB offers for the same task.
#pragma once

#include <cub/device/device_histogram.cuh>

#include "../atomtune_sort.cuh"
#include "problem.cuh"

namespace bench {

// add_sort adds CUB's radix sort with reduction by key, and the reduction of runs alone.
inline void add_sort(Solver& s) {
  const Problem p = s.p;
  constexpr auto finish = atomtune::Finish::add;
  s.add_phased("sort", index_name(), false, [=](void* memory, size_t& bytes, cudaStream_t stream) {
    return atomtune::update_sort(memory, bytes, p.out, p.index, p.operand(), size_t(p.updates),
                                 uint32_t(p.bins), stream, finish);
  });
  s.add_phased("segreduce", index_name(), false, [=](void* memory, size_t& bytes, cudaStream_t stream) {
    return atomtune::update_segreduce(memory, bytes, p.out, p.index, p.operand(),
                                      size_t(p.updates), uint32_t(p.bins), stream, finish);
  });
}

// most_even_bins is the number of targets up to which CUB's histogram is asked. With 10^7 a run
// ended in an illegal memory access.
constexpr uint64_t most_even_bins = uint64_t(1) << 20;

// add_histogram adds CUB's histogram, which sets the counters itself. It keeps counters of all
// targets for each block, so that working memory bounds the number of targets.
inline void add_histogram([[maybe_unused]] Solver& s) {
#if BENCH_ONES
  const Problem p = s.p;
  if (p.bins > most_even_bins) return;
  s.add_phased("cub::HistogramEven", index_name(), true,
               [=](void* memory, size_t& bytes, cudaStream_t stream) {
                 return cub::DeviceHistogram::HistogramEven(
                     memory, bytes, p.index, p.out, int(p.bins + 1), 0u, uint32_t(p.bins),
                     int(p.updates), stream);
               });
#endif
}

}  // namespace bench
