// The one call that chooses for itself, and plans.
#pragma once

#include "../atomtune_dispatch.cuh"
#include "../atomtune_plan.cuh"
#include "../test/through_library.cuh"
#include "problem.cuh"

namespace bench {

// launched is a form and its launch: FORM BLOCKSxTHREADSxUNROLL.
inline std::string launched(const std::string& form, unsigned blocks, unsigned threads,
                            unsigned unroll) {
  return form + " " + std::to_string(blocks) + "x" + std::to_string(threads) + "x" +
         std::to_string(unroll);
}

// Chosen is a word on the device that tells which action of the tree a call ran.
class Chosen {
 public:
  Chosen() : word_(1) {}

  uint32_t* data() const { return word_.data(); }

  // name is the form of the last call and its launch.
  std::string name() const {
    atomtune::calling::Device device;
    CHECK_CUDA(atomtune::calling::current_device(&device));
    const uint32_t number = word_.to_host()[0];
    if (number >= device.tree->action_count) return "unknown";
    const atomtune::Action& action = device.tree->actions[number];
    return launched(action.name, unsigned(device.sms), atomtune::calling::threads,
                    atomtune::in_flight(action.base));
  }

 private:
  DeviceArray<uint32_t> word_;
};

// add_call adds the call with indices of type I, which samples and decides each time.
template <typename I, typename Options>
void add_call(Solver& s, const std::string& name, const I* index, const Options& options) {
  const Problem p = s.p;
  s.add_phased(name, index_name<I>(), true,
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

// add_library adds the call through libatomtune_cuda.
template <typename I>
void add_library([[maybe_unused]] Solver& s, [[maybe_unused]] const I* index,
                 [[maybe_unused]] const atomtune::CallOptions& options) {
#ifdef BENCH_LIBRARY
  const Problem p = s.p;
  s.add_phased("atomtune:library", index_name<I>(), true,
               [=](void* memory, size_t& bytes, cudaStream_t stream) {
                 using namespace atomtune;
                 if constexpr (ones) {
                   return through::histogram(memory, bytes, p.out, p.bins, index, p.updates,
                                             stream, options);
                 } else {
                   return through::scatter_add(memory, bytes, p.out, p.bins, index, p.values,
                                               p.updates, stream, options);
                 }
               });
#endif
}

// add_plan adds the call with a plan, which was made before: by one look at the indices, or tuned
// by measuring.
template <typename I>
void add_plan(Solver& s, const I* index, bool tuned) {
  using Planned = atomtune::Plan<T, I, std::conditional_t<ones, atomtune::One, T>>;
  const Problem p = s.p;
  const auto plan = std::make_shared<Planned>();
  const cudaError_t status = tuned ? plan->tune(p.bins, index, p.updates)
                                   : plan->inspect(p.bins, index, p.updates);
  CHECK_CUDA(status);
  atomtune::CallOptions options;
  options.clear = ones;
  s.add({tuned ? "atomtune:tuned" : "atomtune:plan", "", index_name<I>(), true,
         [=](cudaStream_t stream) {
           return plan->run(p.out, index, p.operand(), stream, options);
         },
         [=] {
           const atomtune::PlannedForm& form = plan->form();
           return launched(atomtune::form_name(form).of, form.blocks, form.threads,
                           atomtune::in_flight(form.base));
         }});
}

// add_calls adds the call as it is used, one that tells its choice, and one whose result is the
// same on every run.
inline void add_calls(Solver& s, const std::shared_ptr<Chosen>& chosen) {
  atomtune::CallOptions options;
  options.clear = ones;
  add_call(s, "atomtune", s.p.index, options);
  add_call(s, "atomtune", s.p.wide, options);
  add_library(s, s.p.index, options);
  add_library(s, s.p.wide, options);
  add_call(s, "atomtune:deterministic", s.p.index, atomtune::deterministic(options));
  options.chosen = chosen->data();
  add_call(s, "atomtune:chosen", s.p.index, options);
  s.calls.back().chosen = [chosen] { return chosen->name(); };
}

inline void add_plans(Solver& s) {
  add_plan(s, s.p.index, false);
  add_plan(s, s.p.wide, false);
  add_plan(s, s.p.index, true);
}

}  // namespace bench
