// Chooses between atomtune and PyTorch's own kernel by time. Calls of one operator, type and device whose
// numbers of updates and of elements have the same powers of two form a group. Both kernels are timed on
// the first calls of a group, and again now and then; the faster one runs the other calls.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>

namespace atomtune_torch {

struct Group;

// A Trial is one call. It is timed only if end() is called.
class Trial {
 public:
  // With tune, atomtune runs it by a plan of the group, where there are plans.
  Trial(const void* op, const at::Tensor& self, int64_t updates, bool tune);
  Trial(const Trial&) = delete;
  ~Trial();

  // ours reports whether atomtune runs the call.
  bool ours() const { return ours_; }
  void end();

 private:
  std::shared_ptr<Group> group_;
  bool ours_ = true, timed_ = false, plans_ = false;
};

// forget_groups has all calls timed anew.
void forget_groups();

}  // namespace atomtune_torch
