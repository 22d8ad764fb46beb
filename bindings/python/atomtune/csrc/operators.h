#pragma once

#include "library.h"

namespace atomtune_torch {

// count returns how often each number is in index.
Tensor count(const Tensor& index, int64_t bins, std::optional<int64_t> ignore);

// identity is what no update moves: the largest value for a minimum, the least for a maximum.
at::Scalar identity(atomtune_op op, at::ScalarType type);

}  // namespace atomtune_torch
