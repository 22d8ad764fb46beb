// What a call is asked for, and what is chosen for it before it runs: a cut tree, or what a
// plan or the environment says instead.
#pragma once

#include <cstdlib>
#include <cstring>

#include "atomtune_cut.cuh"
#include "atomtune_extremes.cuh"
#include "atomtune_launch.cuh"
#include "atomtune_plan_text.cuh"

namespace atomtune {

// CallOptions say what a call does besides adding.
struct CallOptions {
  bool clear = false;       // out is set to zero first
  bool has_ignore = false;  // updates with the index ignore are left out
  int64_t ignore = 0;
  // A word that the device can write and the host can read later. It becomes 1 where an
  // index is out of range, and is never cleared.
  uint32_t* error = nullptr;
  uint32_t* chosen = nullptr;          // gets the number of the tree's action
  const DispatchTree* tree = nullptr;  // instead of the device's
};

// deterministic asks for bitwise the same result on every run. It is a type of its own, so that
// only calls that ask for it compile sums in fixed point.
template <typename Options>
struct Deterministic {
  Options options;
};

template <typename Options = CallOptions>
Deterministic<Options> deterministic(const Options& options = {}) {
  return {options};
}

namespace calling {

// NumberOf is the number that a type of targets holds.
template <typename T>
struct NumberOf {
  using Type = T;
};
template <typename T, Extreme extreme>
struct NumberOf<Extremum<T, extreme>> {
  using Type = T;
};

// type_feature is the feature of a type of targets.
template <typename T>
constexpr uint32_t type_feature() {
  return (sizeof(T) == 4 ? 0 : 2) +
         (std::is_floating_point_v<typename NumberOf<T>::Type> ? 1 : 0);
}

// Choice is what is left of a tree, and the launch.
struct Choice {
  CutTree tree;
  Grid grid;
};

// one_form is the cut tree of one form.
inline void one_form(const PlannedForm& form, CutTree* tree) {
  tree->action_count = 1;
  tree->nodes[0] = {0, 0, CutTree::leaf, 0};
  tree->actions[0] = {form.base, form.reduction, 0, form.copies, form.parameter};
}

// Mode is what ATOMTUNE_MODE says of calls: off that targets are updated directly, plan that the
// file of ATOMTUNE_PLANS goes before the tree.
enum class Mode { off, predict, plan };

inline Mode mode() {
  static const Mode said = [] {
    const char* const name = std::getenv("ATOMTUNE_MODE");
    if (name == nullptr) return Mode::predict;
    return std::strcmp(name, "off") == 0    ? Mode::off
           : std::strcmp(name, "plan") == 0 ? Mode::plan
                                            : Mode::predict;
  }();
  return said;
}

inline const SavedPlans& saved_plans() {
  static const SavedPlans saved(std::getenv("ATOMTUNE_PLANS"));
  return saved;
}

// key_of is the key of a call, as far as it is known without its indices.
template <typename T>
const char* op_name() {
  if constexpr (std::is_arithmetic_v<T>) {
    return "add";
  } else if constexpr (std::is_same_v<T, Least<typename NumberOf<T>::Type>>) {
    return "min";
  } else if constexpr (std::is_same_v<T, Greatest<typename NumberOf<T>::Type>>) {
    return "max";
  } else {
    return "add-fixed";
  }
}

// number_name is the name of a type of numbers.
template <typename T>
const char* number_name() {
  static constexpr const char* names[3][4] = {{"u8", "u16", "u32", "u64"},
                                              {"i8", "i16", "i32", "i64"},
                                              {"", "", "f32", "f64"}};
  constexpr int kind = std::is_floating_point_v<T> ? 2 : std::is_signed_v<T> ? 1 : 0;
  return names[kind][sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3];
}

template <bool Returns, typename T, typename I, typename Values>
PlanKey key_of(const Device& device, uint64_t K, uint64_t n) {
  PlanKey key;
  std::memcpy(key.device, device.name, sizeof key.device);
  key.op = op_name<T>();
  key.type = number_name<typename NumberOf<T>::Type>();
  key.value = std::is_same_v<Values, Ones> ? "one" : "loaded";
  key.index = number_name<I>();
  key.returns = Returns;
  key.updates = n;
  key.bins = K;
  return key;
}

// planned is what the mode says of a call instead of the tree. It reports whether it says anything.
template <bool Returns, typename T, typename I, typename Values>
bool planned(const Device& device, uint64_t K, uint64_t n, PlannedForm* form) {
  if (mode() != Mode::plan) return mode() == Mode::off;  // plain atomics, as a form is at first
  return saved_plans().find(key_of<Returns, T, I, Values>(device, K, n), form);
}

// choose cuts the tree by what is known of a call. weight is the size of a target over that
// of the type that the tree knows.
template <bool Returns, typename T, typename I, typename Values>
cudaError_t choose(const Device& device, uint64_t K, uint64_t n, const CallOptions& options,
                   Choice* choice) {
  PlannedForm form;
  if (options.tree == nullptr && planned<Returns, T, I, Values>(device, K, n, &form)) {
    one_form(form, &choice->tree);
    if (form.blocks > 0 && form.base != Base::hot) {
      choice->grid = {at_least(form.blocks / at_least(unsigned(device.sms), 1u), 1u),
                      form.threads};
    }
    return cudaSuccess;
  }
  constexpr uint64_t weight = sizeof(T) > 8 ? sizeof(T) / 8 : 1;
  const uint32_t known[known_features] = {
      n < no_target ? uint32_t(n) : no_target,
      K * weight < no_target ? uint32_t(K * weight) : no_target, type_feature<T>(),
      std::is_same_v<Values, Ones> ? 1u : 0u, Returns ? 1u : 0u};
  std::memcpy(choice->tree.known, known, sizeof known);
  const DispatchTree& whole = options.tree != nullptr ? *options.tree : *device.tree;
  if (!Cutter(whole, &choice->tree).cut()) return cudaErrorInvalidValue;
  return cudaSuccess;
}

}  // namespace calling

}  // namespace atomtune
