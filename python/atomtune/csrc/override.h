#pragma once

#include <c10/core/DispatchKey.h>

#include <string>

namespace atomtune_torch {

// Tensors of this key of the dispatcher are atomtune's: CUDA, or in tests CPU.
extern c10::DispatchKey dispatch_key;

// override_aten turns the overrides of PyTorch's operators on or off, for calls of so many updates.
void override_aten(bool on, int64_t smallest);

// explain has a line for each operator, kind of shape, and "taken" or the reason why not, and their
// number, with tabs between them.
std::string explain();

}  // namespace atomtune_torch
