// Updates that a call on a GPU gets, with indices that are ignored or out of range, and what
// the device says of them.
#pragma once

#include "gpu_dispatch.cuh"

namespace dispatched {

using namespace atomtune;

constexpr int64_t ignored = 5;

// Updates are a stream as a call gets it, and which of the updates are made.
template <typename T, typename I>
struct Updates {
  std::vector<I> index;
  std::vector<T> values;
  std::vector<bool> made;
  bool out_of_range = false;

  size_t size() const { return index.size(); }
};

// spoilt has targets, some of which give way to an index that is ignored or out of range.
template <typename T, typename I>
Updates<T, I> spoilt(const std::vector<uint32_t>& targets, uint32_t bins,
                     std::vector<T> values, std::mt19937_64& random) {
  Updates<T, I> u{indices_of<I>(targets), std::move(values), {}};
  for (size_t k = 0; k < u.size(); ++k) {
    if (random() % 11 == 0) {
      u.index[k] = I(ignored);
    } else if (random() % 13 == 0) {
      u.index[k] = random() % 2 == 0 ? I(-3) : I(bins + k);
      u.out_of_range = true;
    }
    u.made.push_back(u.index[k] != I(ignored) && uint64_t(u.index[k]) < bins);
  }
  return u;
}

// Call is how a form is asked for, and what the device says of it.
class Call {
 public:
  Call(const Action& action, bool decides)
      : action_(action), tree_(action_.tree(decides)), words_(std::vector<uint32_t>{0, 77}) {
    options.tree = &tree_;
    options.has_ignore = true;
    options.ignore = ignored;
    options.error = words_.data();
    options.chosen = words_.data() + 1;
  }

  // expect_told demands the error and the choice.
  void expect_told(bool error, const std::string& what) const {
    const std::vector<uint32_t> told = words_.to_host();
    expect(told[0] == (error ? 1u : 0u), what + ": error");
    expect(told[1] == 0, what + ": chosen");
  }

  CallOptions options;

 private:
  OneAction action_;
  DispatchTree tree_;
  DeviceArray<uint32_t> words_;
};

template <typename T, typename I>
std::string name_of(const char* call, const Action& action, size_t n, uint32_t bins) {
  return std::string(call) + " by " + action.name + ", of " + type_name<T>() + " with " + type_name<I>() + ", " +
         std::to_string(n) + " updates of " + std::to_string(bins);
}

}  // namespace dispatched
