// Who makes a call of PyTorch's operators: atomtune, or PyTorch's own kernel. Calls are alike that have
// the same operator, types and device and the same powers of two of updates and elements. Both are timed
// on such calls, now and then again, and the faster makes the others.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace atomtune_torch {

struct Contest;

// A Turn is one call.
class Turn {
 public:
  Turn(const void* op, const at::Tensor& self, int64_t updates);
  Turn(const Turn&) = delete;
  // Without an end, the call is not timed.
  ~Turn();

  bool ours() const { return ours_; }
  void end();

 private:
  Contest* contest_;
  bool ours_ = true, timed_ = false;
};

}  // namespace atomtune_torch
