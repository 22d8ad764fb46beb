// What calls of every type share: re-laying a stream, and the copies and empty kernels
// from which a sort is predicted.
#include "calls_items.cuh"

using calls::first_item;
using calls::items_apart;

// gather_index lays the stream anew: position p performs update order[p].
extern "C" __global__ void gather_index(uint32_t* out, const uint32_t* index,
                                        const uint32_t* order, uint64_t updates) {
  for (uint64_t p = first_item(); p < updates; p += items_apart()) {
    out[p] = index[order[p]];
  }
}

extern "C" __global__ void copy_stream(uint32_t* to, const uint32_t* from,
                                       uint64_t words) {
  for (uint64_t w = first_item(); w < words; w += items_apart()) to[w] = from[w];
}

extern "C" __global__ void nothing() {}
