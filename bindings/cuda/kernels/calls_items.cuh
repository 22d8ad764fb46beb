// The items that a thread of a one-dimensional grid works on: first_item, and from
// there on every one that lies items_apart further.
#pragma once

#include <cstdint>

namespace calls {

__device__ __forceinline__ uint64_t first_item() {
  return uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ uint64_t items_apart() {
  return uint64_t(gridDim.x) * blockDim.x;
}

}  // namespace calls
