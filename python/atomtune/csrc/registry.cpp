#include "registry.h"

#include <array>

namespace atomtune_torch {
namespace {

constexpr size_t kOps = size_t(Op::max_rows) + 1, kTypes = size_t(Type::none) + 1;

// The table is made at the first use: instances enter themselves before main.
Launch& slot(const Instance& i) {
  static std::array<Launch, kOps * kTypes * kTypes * kTypes> launches{};
  const auto place = ((size_t(i.op) * kTypes + size_t(i.target)) * kTypes + size_t(i.index)) *
                         kTypes + size_t(i.value);
  return launches[place];
}

}  // namespace

Launch find(const Instance& instance) { return slot(instance); }

Registered::Registered(const Instance& instance, Launch launch) { slot(instance) = launch; }

}  // namespace atomtune_torch
