// The one call that chooses for itself.
#pragma once

#include "../atomtune_dispatch.cuh"
#include "problem.cuh"

namespace bench {

// Chosen is a word on the device that tells which action of the tree a call ran.
class Chosen {
 public:
  Chosen() : word_(1) {}

  uint32_t* data() const { return word_.data(); }

  // name is the form of the last call.
  std::string name() const {
    atomtune::calling::Device device;
    CHECK_CUDA(atomtune::calling::current_device(&device));
    const uint32_t number = word_.to_host()[0];
    if (number >= device.tree->action_count) return "unknown";
    return device.tree->actions[number].name;
  }

 private:
  DeviceArray<uint32_t> word_;
};

// add_call adds the call with indices of type I, which samples and decides each time. chosen is
// null where the choice is not asked for.
template <typename I>
void add_call(Solver& s, const std::string& name, const I* index, uint32_t* chosen) {
  const Problem p = s.p;
  atomtune::CallOptions options;
  options.clear = ones;
  options.chosen = chosen;
  s.add_phased(name, sizeof(I) == 4 ? "u32" : "i64", true,
               [=](void* memory, size_t& bytes, cudaStream_t stream) {
                 if constexpr (ones) {
                   return atomtune::histogram(memory, bytes, p.out, p.bins, index, p.updates,
                                              stream, options);
                 } else {
                   return atomtune::scatter_add(memory, bytes, p.out, p.bins, index, p.values,
                                                p.updates, stream, options);
                 }
               });
}

}  // namespace bench
