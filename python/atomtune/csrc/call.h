// One call on tensors.
#pragma once

#include <ATen/ATen.h>

#include <optional>

#include "registry.h"

namespace atomtune_torch {

// Call is what an operator asks for. Tensors are contiguous and on one device. values is not
// defined where ones are counted. Indices are the first updates ones. out and values have width
// elements for each target and update, neighbours: 1, but for rows.
struct Call {
  Op op;
  at::Tensor out, index, values;
  int64_t updates;
  int64_t width = 1;
  bool clear = false, deterministic = false, has_ignore = false;
  int64_t ignore = 0;
};

// instance_of names what a call needs. Types that no instance has are Type::none.
Instance instance_of(const Call& call);

// count adds ones to so many new targets of 64 bits.
at::Tensor count(const at::Tensor& index, int64_t bins, std::optional<int64_t> ignore);

// run enqueues the call on the current stream. Working memory is of the caching allocator and
// in stream order, so that a call can be captured into a CUDA graph.
void run(const Call& call);

// calls is the number of calls that run has enqueued.
int64_t calls();

// out_of_range tells whether a call of this device has met an index out of range since the
// last time it was asked. It waits for the current stream.
bool out_of_range(int64_t device);

}  // namespace atomtune_torch
