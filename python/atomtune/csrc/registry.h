// The table of compiled calls, by operator and types. Each instance is a source of its own, so
// that they compile side by side; it enters itself when the library is loaded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atomtune_torch {

// registry.cpp counts to the last of each.
enum class Op : int { add, count, min, max, add_rows, min_rows, max_rows };

// rows_of is the operator of rows for one of single values.
inline Op rows_of(Op op) {
  return op == Op::add ? Op::add_rows : op == Op::min ? Op::min_rows : Op::max_rows;
}
enum class Type : int { i32, i64, f32, f64, f16, bf16, none };

// Arguments are those of one call in atomtune_dispatch.cuh or atomtune_rows_call.cuh, without
// their types.
struct Arguments {
  void* workspace;  // null where bytes are asked for
  size_t bytes;
  void* out;
  uint64_t bins;
  const void* index;
  const void* values;  // null where ones are counted
  uint64_t updates;
  uint32_t width;  // elements of a row
  bool clear, deterministic, has_ignore;
  int64_t ignore;
  uint32_t* error;  // a word on the device, or null
  void* stream;
};

// Launch makes a call and returns a cudaError_t.
using Launch = int (*)(Arguments&);

// Instance is what was compiled. Where ones are counted, value is Type::none.
struct Instance {
  Op op;
  Type target, index, value;
};

// find returns null where there is no such instance.
Launch find(const Instance& instance);

// Registered enters an instance.
struct Registered {
  Registered(const Instance& instance, Launch launch);
};

}  // namespace atomtune_torch
