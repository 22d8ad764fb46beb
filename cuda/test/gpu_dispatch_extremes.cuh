// Least and greatest values by every form behind a call, of streams with indices that are
// ignored or out of range.
#pragma once

#include <limits>

#include "gpu_dispatch_updates.cuh"

namespace dispatched {

// Lowering and Raising are the two calls, and which of two values stays.
struct Lowering {
  static constexpr char name[] = "scatter_min";
  template <typename T>
  static bool takes(T now, T v) {
    return v < now;
  }
  template <typename... Arguments>
  static cudaError_t call(Arguments&&... arguments) {
    return scatter_min(std::forward<Arguments>(arguments)...);
  }
};

struct Raising {
  static constexpr char name[] = "scatter_max";
  template <typename T>
  static bool takes(T now, T v) {
    return v > now;
  }
  template <typename... Arguments>
  static cudaError_t call(Arguments&&... arguments) {
    return scatter_max(std::forward<Arguments>(arguments)...);
  }
};

// odd_values are wild ones, some of which are NaN or infinite where there is such a thing.
template <typename T>
std::vector<T> odd_values(std::mt19937_64& random, size_t n) {
  std::vector<T> values = wild_values<T>(random, n);
  if constexpr (std::is_floating_point_v<T>) {
    for (T& v : values) {
      if (random() % 17 == 0) v = std::numeric_limits<T>::quiet_NaN();
      if (random() % 5000 == 0) v = std::numeric_limits<T>::infinity() * (v > 0 ? 1 : -1);
    }
  }
  return values;
}

// serial makes the updates one after the other. NaN changes nothing.
template <typename Way, typename T, typename I>
std::vector<T> serial(const Updates<T, I>& u, std::vector<T> targets) {
  for (size_t k = 0; k < u.size(); ++k) {
    if (!u.made[k]) continue;
    T& target = targets[size_t(u.index[k])];
    if (Way::takes(target, u.values[k])) target = u.values[k];
  }
  return targets;
}

template <typename Way, typename T, typename I>
void check_extremes(const Updates<T, I>& u, uint32_t bins, const Action& action) {
  const std::vector<T> first(bins, T(1));
  const DeviceArray<I> index(u.index);
  const DeviceArray<T> values(u.values);
  const Guarded<T> out(first);
  const Call call(action, true);
  finish([&](void* memory, size_t& bytes) {
    return Way::call(memory, bytes, out.data(), bins, index.data(), values.data(), u.size(),
                     nullptr, call.options);
  });
  const std::string what = name_of<T, I>(Way::name, action, u.size(), bins);
  expect(out.read(what) == serial<Way>(u, first), what + ": wrong extreme");
  call.expect_told(u.out_of_range, what);
}

// check_by_resource makes a call by the device's tree with memory of the stream. A call that is
// to clear is refused.
template <typename Way, typename T, typename I>
void check_by_resource(const Updates<T, I>& u, uint32_t bins) {
  const std::vector<T> first(bins, T(1));
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
  expect(out.to_host() == serial<Way>(u, first), std::string(Way::name) + " of " +
                                                     type_name<T>() + " by the device's tree");
}

template <typename Way, typename T, typename I>
void test_extremes_of(uint64_t seed) {
  std::mt19937_64 random(seed);
  for (uint32_t bins : {7u, 4000u, 300000u}) {
    if (work.quick && bins > 4000) continue;
    const size_t n = std::min<size_t>(work.updates(), 100000);
    const std::vector<uint32_t> targets = random_indices(random, n, bins);
    const auto u = spoilt<T, I>(targets, bins, odd_values<T>(random, n), random);
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
