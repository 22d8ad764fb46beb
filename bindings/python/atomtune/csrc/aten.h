// PyTorch's operators as calls of the library.
#pragma once

#include <ATen/core/ivalue.h>

#include "library.h"

namespace atomtune_torch::aten {

// Arguments are all of an operator's, in the order of its schema.
using Arguments = c10::ArrayRef<c10::IValue>;

struct Operator {
  const char* name;
  // take makes the call and its result, or returns the reason why it is PyTorch's: a literal.
  const char* (*take)(Arguments arguments, c10::IValue* result);
  int at;  // the argument that has an entry for each update
  std::atomic<int64_t> few{0};  // how often it was called with few updates
};

extern Operator operators[14];

}  // namespace atomtune_torch::aten
