// The calls of libatomtune_cuda on tensors.
#pragma once

#include <ATen/ATen.h>

#include <atomic>
#include <initializer_list>
#include <optional>
#include <string>

#include "atomtune_update.h"

namespace atomtune_torch {

using at::Tensor;

// Calls take tensors of this key of the dispatcher: CUDA, or in tests CPU.
extern c10::DispatchKey dispatch_key;

// A call: out[index[u]] op= values[u], of single values or of rows, all contiguous and on one device.
// out has bins of them. Ones are added where there are no values.
struct Call {
  atomtune_op op = ATOMTUNE_ADD;
  const Tensor& out;
  int64_t bins;
  const Tensor& index;
  Tensor values = {};
  std::optional<int64_t> ignore = std::nullopt;
  bool clear = false;
  bool deterministic = false;
  bool row_wraps = false;  // of rows: an index below 0 counts from the end
};

// run enqueues a call on the current stream. The error of the library is one of PyTorch.
void run(const Call& call);

// A Plan is the implementation that was measured to be the fastest for calls of the same sizes on one
// stream. While a thread has a Plan in use, run() goes by it: it measures at the second call of the same
// sizes, and again after a change of the indices was noticed.
struct Plan {
  Plan() = default;
  Plan(const Plan&) = delete;
  ~Plan();
  static thread_local Plan* in_use;

  bool measured = false;  // by the last call
  bool stale = false;

  // serves reports whether the call goes by the plan, which it then has.
  bool serves(struct atomtune_update* call, c10::Device device);

 private:
  std::string numbers_;  // of the last call
  void* stream_ = nullptr;
  struct atomtune_plan* plan_ = nullptr;
};

// load opens the library, and says why it could not.
void load(const std::string& path);

// calls is the number of calls since the process began.
extern std::atomic<int64_t> calls;

// capturing reports whether the device's current stream is captured into a graph.
bool capturing(c10::Device device);

// out_of_range reports whether a call on the device has met an index out of range since this was last
// asked. It waits for the device.
bool out_of_range(int64_t device);

// type_of is the library's name of the type of targets, or -1.
int type_of(const Tensor& t);

bool is_half(const Tensor& t);

// is_index reports whether the type is one of indices.
bool is_index(const Tensor& t);

// apart reports whether out has no memory in common with the others, as far as their ends tell.
bool apart(const Tensor& out, std::initializer_list<const Tensor*> others);

}  // namespace atomtune_torch
