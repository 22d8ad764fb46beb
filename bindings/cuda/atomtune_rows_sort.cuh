// The sort of updates of rows, by CUB.
#pragma once

#include <cub/device/device_radix_sort.cuh>

#include "atomtune_rows_call.cuh"

namespace atomtune {

namespace rows {

// number_rows writes the row and the place of each update. Rows that are not there come last.
template <typename Place>
__global__ void number_rows(uint32_t* row, Place* place, RowIndex index, size_t updates) {
  const size_t first = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t u = first; u < updates; u += size_t(gridDim.x) * blockDim.x) {
    const uint32_t target = target_at(index, u);
    row[u] = target == no_target ? index.bins : target;
    place[u] = Place(u);
  }
}

template <typename Place>
cudaError_t sort_updates(void* memory, size_t& bytes, RowIndex* index, const Place** order,
                         size_t updates, uint32_t bins, unsigned blocks, cudaStream_t stream) {
  Carver carver(memory);
  auto* const row = carver.take<uint32_t>(updates);
  auto* const place = carver.take<Place>(updates);
  auto* const sorted_row = carver.take<uint32_t>(updates);
  auto* const sorted_place = carver.take<Place>(updates);
  int bits = 1;
  while (bits < 32 && bins >> bits != 0) ++bits;
  size_t scratch = memory == nullptr ? 0 : bytes - carver.bytes();
  if (memory != nullptr) {
    number_rows<<<blocks, few_threads, 0, stream>>>(row, place, *index, updates);
    // Updates of no row have the index bins then, which is ignored.
    *index = {sorted_row, index->error, index->bins, index->bins, sizeof(uint32_t), true};
    *order = sorted_place;
  }
  const cudaError_t status = cub::DeviceRadixSort::SortPairs(
      carver.rest(), scratch, row, sorted_row, place, sorted_place, updates, 0, bits, stream);
  if (memory == nullptr) bytes = carver.bytes() + scratch;
  return status;
}

}  // namespace rows

}  // namespace atomtune
