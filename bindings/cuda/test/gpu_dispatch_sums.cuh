// Sums and old values by every form behind a call, of streams with indices that are ignored or
// out of range.
#pragma once

#include "gpu_dispatch_updates.cuh"

namespace dispatched {

// check_form adds values, or ones where there are none.
template <typename T, typename I>
void check_form(const Updates<T, I>& u, uint32_t bins, const Action& action, bool decides) {
  std::vector<Total> totals(bins);
  for (size_t k = 0; k < u.size(); ++k) {
    if (u.made[k]) totals[size_t(u.index[k])].add(u.values.empty() ? T(1) : u.values[k]);
  }
  const DeviceArray<I> index(u.index);
  const DeviceArray<T> values(u.values);
  const Guarded<T> out(std::vector<T>(bins, T(1)));
  const Call call(action, decides);
  finish([&](void* memory, size_t& bytes) {
    return u.values.empty() ? histogram(memory, bytes, out.data(), bins, index.data(),
                                        u.size(), nullptr, call.options)
                            : scatter_add(memory, bytes, out.data(), bins, index.data(),
                                          values.data(), u.size(), nullptr, call.options);
  });
  const std::string what = name_of<T, I>(u.values.empty() ? "histogram" : "scatter_add",
                                         action, u.size(), bins);
  expect_totals(out.read(what), totals, T(1), what);
  call.expect_told(u.out_of_range, what);
}

// check_old demands a serial order of the updates that are made. Of the others nothing is
// written.
template <typename T, typename I>
void check_old(const Updates<T, I>& u, uint32_t bins, const Action& action) {
  const DeviceArray<I> index(u.index);
  const DeviceArray<T> values(u.values);
  const Guarded<T> out(std::vector<T>(bins, T(1))), old(std::vector<T>(u.size(), T(88)));
  const Call call(action, true);
  finish([&](void* memory, size_t& bytes) {
    return fetch_add(memory, bytes, out.data(), bins, index.data(), values.data(), old.data(),
                     u.size(), nullptr, call.options);
  });
  const std::string what = name_of<T, I>("fetch_add", action, u.size(), bins);
  const std::vector<T> all = old.read(what);
  std::vector<uint32_t> targets;
  std::vector<T> added, found;
  bool kept = true;
  for (size_t k = 0; k < u.size(); ++k) {
    kept = kept && (u.made[k] || all[k] == T(88));
    if (!u.made[k]) continue;
    targets.push_back(uint32_t(u.index[k]));
    added.push_back(u.values[k]);
    found.push_back(all[k]);
  }
  expect(kept, what + ": an update that is not made has an old value");
  expect_explained(out.read(what), targets, added, found, T(1), what);
  call.expect_told(u.out_of_range, what);
}

// check_places demands of n updates of one target that their old values are 0 to n - 1.
template <typename T, typename I>
void check_places(size_t n) {
  const DeviceArray<I> index(std::vector<I>(n, I(0)));
  const DeviceArray<T> ones(std::vector<T>(n, T(1))), old(std::vector<T>(n, T(-1)));
  const DeviceArray<T> out(std::vector<T>{T(0)});
  finish([&](void* memory, size_t& bytes) {
    return fetch_add(memory, bytes, out.data(), 1, index.data(), ones.data(), old.data(), n);
  });
  std::vector<T> places = old.to_host();
  std::sort(places.begin(), places.end());
  bool all = true;
  for (size_t k = 0; k < n; ++k) all = all && places[k] == T(k);
  expect(all && out.to_host()[0] == T(n), "fetch_add: old values are no permutation");
}

template <typename T, typename I>
void test_sums(uint64_t seed) {
  std::mt19937_64 random(seed);
  for (size_t n : {size_t(1000), size_t(40000)}) {
    if (work.quick && n > work.updates()) continue;
    for (uint32_t bins : {40u, 3000u, 100000u}) {
      if (work.quick && bins > 3000) continue;
      const std::vector<uint32_t> targets = random_indices(random, n, bins);
      const auto loaded = spoilt<T, I>(targets, bins, wild_values<T>(random, n), random);
      const auto ones = spoilt<T, I>(targets, bins, {}, random);
      const auto small = spoilt<T, I>(targets, bins, small_values<T>(random, n), random);
      for (const Action& action : all_actions()) {
        check_form(loaded, bins, action, random() % 2 == 0);
        check_form(ones, bins, action, random() % 2 == 0);
        check_old(small, bins, action);
      }
    }
  }
  check_places<T, I>(work.updates());
}

}  // namespace dispatched
