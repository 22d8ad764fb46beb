// Calls of atomtune_update.h, by what is compiled for them: an instance for each combination of
// operation and types. Each is in a source of its own, and enters itself in a table while the
// library is loaded.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "atomtune_update.h"

namespace atomtune {

struct DispatchTree;

namespace library {

using Update = struct ::atomtune_update;

// Kind is what a call gives besides its result in the targets, or how it adds.
enum class Kind : uint8_t { plain, old, fixed, rows, rows_fixed };

// Given are the values: of the targets' type, ones, or of 16 bits.
enum class Given : uint8_t { own, ones, f16, bf16 };

// Wanted names an instance, which serves indices of all types.
struct Wanted {
  int op, type;  // enum atomtune_op, enum atomtune_type
  Given given;
  Kind kind;
};

// Planned is a plan of an instance.
class Planned {
 public:
  virtual ~Planned() = default;
  virtual cudaError_t make(const Update& call, const DispatchTree* tree) = 0;
  virtual cudaError_t run(const Update& call) = 0;
  virtual std::string explain() const = 0;
  virtual bool save(const char* path) const = 0;
};

// Instance enqueues a call with a workspace, or writes what it needs of one where that is null.
struct Instance {
  cudaError_t (*update)(const Update& call, const DispatchTree* tree, void* workspace,
                        size_t& bytes) = nullptr;
  // Null where no plan is made of such calls.
  std::unique_ptr<Planned> (*plan)(const Update& call) = nullptr;
};

// find returns null where there is no such instance.
const Instance* find(const Wanted& wanted);

// Entered enters an instance.
struct Entered {
  Entered(const Wanted& wanted, const Instance& instance);
};

}  // namespace library

}  // namespace atomtune
