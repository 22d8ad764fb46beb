// Least and greatest values by every form behind a call, of streams with indices that are
// ignored or out of range.
#pragma once

#include "extreme_values.h"
#include "gpu_dispatch_updates.cuh"

namespace dispatched {

// Lowering and Raising are the two calls.
struct Lowering {
  static constexpr char name[] = "scatter_min";
  static constexpr Extreme extreme = Extreme::least;
  template <typename... Arguments>
  static cudaError_t call(Arguments&&... arguments) {
    return scatter_min(std::forward<Arguments>(arguments)...);
  }
};

struct Raising {
  static constexpr char name[] = "scatter_max";
  static constexpr Extreme extreme = Extreme::greatest;
  template <typename... Arguments>
  static cudaError_t call(Arguments&&... arguments) {
    return scatter_max(std::forward<Arguments>(arguments)...);
  }
};

// odd_values are wild ones. Of floats some targets get infinities too, and some NaN.
template <typename T>
std::vector<T> odd_values(std::mt19937_64& random, const std::vector<uint32_t>& targets) {
  std::vector<T> values = wild_values<T>(random, targets.size());
  if constexpr (std::is_floating_point_v<T>) {
    for (size_t u = 0; u < values.size(); ++u) {
      if (random() % 17 != 0) continue;
      if (targets[u] % 5 == 1) values[u] = std::copysign(std::numeric_limits<T>::infinity(), values[u]);
      if (targets[u] % 5 == 2) values[u] = any_nan<T>(random);
    }
  }
  return values;
}

// first_targets are 1, of floats some NaN.
template <typename T>
std::vector<T> first_targets(uint32_t bins) {
  std::mt19937_64 random(bins);
  std::vector<T> first(bins, T(1));
  if constexpr (std::is_floating_point_v<T>) {
    for (uint32_t k = 3; k < bins; k += 5) first[k] = any_nan<T>(random);
  }
  return first;
}

// serial makes the updates one after the other.
template <typename Way, typename T, typename I>
std::vector<T> serial(const Updates<T, I>& u, std::vector<T> targets) {
  for (size_t k = 0; k < u.size(); ++k) {
    if (!u.made[k]) continue;
    T& target = targets[size_t(u.index[k])];
    target = extreme_of(Way::extreme, target, u.values[k]);
  }
  return targets;
}

template <typename Way, typename T, typename I>
void check_extremes(const Updates<T, I>& u, uint32_t bins, const Action& action) {
  const std::vector<T> first = first_targets<T>(bins);
  const DeviceArray<I> index(u.index);
  const DeviceArray<T> values(u.values);
  const Guarded<T> out(first);
  const Call call(action, true);
  finish([&](void* memory, size_t& bytes) {
    return Way::call(memory, bytes, out.data(), bins, index.data(), values.data(), u.size(),
                     nullptr, call.options);
  });
  const std::string what = name_of<T, I>(Way::name, action, u.size(), bins);
  expect(same_numbers(out.read(what), serial<Way>(u, first)), what + ": wrong extreme");
  call.expect_told(u.out_of_range, what);
}

// check_by_resource makes a call by the device's tree with memory of the stream. A call that is
// to clear is refused.
template <typename Way, typename T, typename I>
void check_by_resource(const Updates<T, I>& u, uint32_t bins) {
  const std::vector<T> first = first_targets<T>(bins);
  const DeviceArray<I> index(u.index);
  const DeviceArray<T> values(u.values), out(first);
  CallOptions options;
  options.clear = true;
  const auto call = [&] {
    return Way::call(out.data(), bins, index.data(), values.data(), u.size(), nullptr,
                     StreamMemory(), options);
  };
  expect(call() == cudaErrorInvalidValue, std::string(Way::name) + " does not clear");
  options.clear = false;
  options.has_ignore = true;
  options.ignore = ignored;
  CHECK_CUDA(call());
  CHECK_CUDA(cudaDeviceSynchronize());
  expect(same_numbers(out.to_host(), serial<Way>(u, first)),
         std::string(Way::name) + " of " + type_name<T>() + " by the device's tree");
}

template <typename Way, typename T, typename I>
void test_extremes_of(uint64_t seed) {
  std::mt19937_64 random(seed);
  for (uint32_t bins : {7u, 4000u, 300000u}) {
    if (work.quick && bins > 4000) continue;
    const size_t n = std::min<size_t>(work.updates(), 100000);
    const std::vector<uint32_t> targets = random_indices(random, n, bins);
    const auto u = spoilt<T, I>(targets, bins, odd_values<T>(random, targets), random);
    for (const Action& action : all_actions()) check_extremes<Way>(u, bins, action);
    check_by_resource<Way>(u, bins);
  }
}

template <typename Way>
void test_extremes(uint64_t seed) {
  test_extremes_of<Way, float, int64_t>(seed);
  test_extremes_of<Way, double, uint32_t>(seed);
  test_extremes_of<Way, int32_t, int32_t>(seed);
  test_extremes_of<Way, unsigned long long, uint32_t>(seed);
}

}  // namespace dispatched
