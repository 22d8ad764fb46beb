// Overrides of PyTorch's operators, below their gradients, which stay.
#include <torch/library.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "aten.h"
#include "autotune.h"

namespace atomtune_torch {
namespace {

using aten::Arguments;
using aten::Operator;

std::atomic<int64_t> smallest{0};
// Mode says which calls are taken of those that can be: those that atomtune runs faster, by its sample or
// by plans, or all.
enum class Mode { automatic, tune, always };
std::atomic<Mode> mode{Mode::automatic};

// How often by operator, dimensions, power of two of the updates, and "taken" or the reason why not.
std::mutex counting;
std::map<std::tuple<const Operator*, int64_t, int, std::string_view>, int64_t> counts;

// updates_of is the most that one of several indices has: the updates, unless each is broadcast.
int64_t updates_of(const Operator& op, Arguments arguments) {
  const c10::IValue& own = arguments[op.at];
  if (own.isTensor()) return own.toTensor().numel();
  if (!arguments[3].toBool()) return -1;  // index_put that sums nothing
  int64_t most = 0;
  for (const c10::IValue& index : own.toListRef()) {
    if (index.isTensor() && index.toTensor().defined()) most = std::max(most, index.toTensor().numel());
  }
  return most;
}

// An Override takes calls, or hands them to the kernel that was PyTorch's before.
class Override final : public c10::OperatorKernel {
 public:
  Override(Operator& op, const c10::OperatorHandle& handle)
      : op_(op), arguments_(handle.schema().arguments().size()),
        pytorch_(handle.getComputedKernelForDispatchKey(dispatch_key)) {}

  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    const Arguments arguments = torch::jit::last(*stack, arguments_);
    const int64_t updates = updates_of(op_, arguments);
    if (updates < smallest.load(std::memory_order_relaxed)) {
      op_.few.fetch_add(1, std::memory_order_relaxed);
      return pytorch_.callBoxed(handle, keys, stack);
    }
    const Tensor& self = arguments[0].toTensor();
    // Results with the same bits on every run need the same kernel on every run.
    std::optional<Trial> trial;
    if (mode != Mode::always && !at::globalContext().deterministicAlgorithms()) {
      trial.emplace(&op_, self, updates, mode == Mode::tune);
    }
    const bool yields = trial && !trial->ours();
    c10::IValue result;
    const char* const reason = yields ? "PyTorch is faster" : op_.take(arguments, &result);
    {
      const std::lock_guard<std::mutex> lock(counting);
      const int power = std::bit_width<uint64_t>(std::max<int64_t>(updates, 1)) - 1;
      ++counts[{&op_, self.dim(), power, reason == nullptr ? "taken" : reason}];
    }
    if (reason != nullptr) {
      pytorch_.callBoxed(handle, keys, stack);
    } else {
      torch::jit::drop(*stack, arguments_);
      stack->push_back(std::move(result));
    }
    if (trial && (yields || reason == nullptr)) trial->end();
  }

 private:
  Operator& op_;
  const size_t arguments_;
  const c10::SafeKernelFunction pytorch_;
};

// override_aten turns the overrides on or off for calls with at least so many updates.
void override_aten(bool on, int64_t least, int64_t number_of_mode) {
  static std::optional<torch::Library> library;  // while the overrides are on
  static std::mutex switching;
  const std::lock_guard<std::mutex> lock(switching);
  smallest = least;
  mode = static_cast<Mode>(number_of_mode);
  if (on == library.has_value()) return;
  if (!on) {
    library.reset();
    return forget_groups();
  }
  library.emplace(torch::Library::IMPL, "aten", dispatch_key, __FILE__, __LINE__);
  for (Operator& op : aten::operators) {
    const auto name = torch::jit::parseName(std::string("aten::") + op.name);
    auto own = std::make_unique<Override>(op, c10::Dispatcher::singleton().findSchema(name).value());
    library->impl(op.name, torch::CppFunction::makeFromBoxedFunctor(std::move(own)));
  }
}

// explain has a line for each operator, kind of shape, and "taken" or the reason why not, and their
// number, with tabs between them.
std::string explain() {
  std::ostringstream text;
  const auto name = [](const Operator& op) { return std::string(op.name, strcspn(op.name, ".")); };
  for (const Operator& op : aten::operators) {
    if (op.few > 0) text << name(op) << "\t\tfew updates\t" << op.few << '\n';
  }
  const std::lock_guard<std::mutex> lock(counting);
  for (const auto& [kind, number] : counts) {
    const auto& [op, dimensions, power, reason] = kind;
    text << name(*op) << '\t' << dimensions << "-D, 2^" << power << " updates\t" << reason << '\t'
         << number << '\n';
  }
  return text.str();
}

// Compiled graphs call an operator of PyTorch through one in place that Inductor has no code for and
// that returns nothing.
class Forward final : public c10::OperatorKernel {
 public:
  explicit Forward(const c10::OperatorHandle& aten) : aten_(aten) {}

  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) {
    aten_.callBoxed(stack);
    torch::jit::drop(*stack, 1);
  }

 private:
  const c10::OperatorHandle aten_;
};

void define_forward(torch::Library& m, const std::string& name) {
  const auto aten = c10::Dispatcher::singleton().findSchema(torch::jit::parseName("aten::" + name)).value();
  const std::string own = "aten_" + name.substr(0, name.find('.'));
  m.def(c10::FunctionSchema(own, "", aten.schema().arguments(), {}), {at::Tag::pt2_compliant_tag});
  m.impl(own.c_str(), torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd,
                                      torch::CppFunction::makeFromBoxedFunctor(std::make_unique<Forward>(aten))));
}

}  // namespace
}  // namespace atomtune_torch

TORCH_LIBRARY_FRAGMENT(atomtune, m) {
  for (const char* name : {"index_put_", "scatter_add_", "scatter_reduce_.two"}) {
    atomtune_torch::define_forward(m, name);
  }
  m.def("_override(bool on, int smallest, int mode) -> ()", &atomtune_torch::override_aten);
  m.def("_explain() -> str", &atomtune_torch::explain);
}
