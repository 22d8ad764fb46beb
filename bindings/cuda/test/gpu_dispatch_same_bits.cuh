// Calls whose sums are to be bitwise the same on every run: many runs, by every form, and with the
// updates in another order.
#pragma once

#include <cstring>

#include "gpu_dispatch.cuh"

namespace dispatched {

using namespace atomtune;

template <typename T>
bool same_bytes(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() &&
         std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

// Request is a deterministic call on a stream, made as often as wanted. Without values it adds
// ones.
template <typename T>
class Request {
 public:
  Request(const std::vector<uint32_t>& targets, const std::vector<T>& values, uint32_t bins)
      : index_(targets), values_(values), out_(std::vector<T>(bins, T(7))) {}

  std::vector<T> sums(int runs, const DispatchTree* tree, const std::string& what) const {
    CallOptions options;
    options.clear = true;
    options.tree = tree;
    const auto call = [&](void* memory, size_t& bytes) {
      return values_.size() == 0
                 ? histogram(memory, bytes, out_.data(), out_.size(), index_.data(),
                             index_.size(), nullptr, deterministic(options))
                 : scatter_add(memory, bytes, out_.data(), out_.size(), index_.data(),
                               values_.data(), index_.size(), nullptr, deterministic(options));
    };
    Workspace workspace(call);
    std::vector<T> first;
    int same = 0;
    for (int k = 0; k < runs; ++k) {
      CHECK_CUDA(call(workspace.data(), workspace.bytes()));
      const std::vector<T> got = out_.to_host();
      if (k == 0) first = got;
      same += same_bytes(first, got);
    }
    expect(same == runs, what + ": " + std::to_string(runs - same) + " runs of " +
                             std::to_string(runs) + " have other bits");
    return first;
  }

 private:
  DeviceArray<uint32_t> index_;
  DeviceArray<T> values_, out_;
};

template <typename T>
void reorder(std::vector<uint32_t>& targets, std::vector<T>& values, std::mt19937_64& random) {
  for (size_t k = targets.size(); k > 1; --k) {
    const size_t other = random() % k;
    std::swap(targets[k - 1], targets[other]);
    if (!values.empty()) std::swap(values[k - 1], values[other]);
  }
}

template <typename T>
void check(std::vector<uint32_t> targets, std::vector<T> values, uint32_t bins,
           std::mt19937_64& random) {
  const std::string what = "deterministic sums of " + type_name<T>() + " of " +
                           std::to_string(bins) + (values.empty() ? ", ones" : "");
  const std::vector<T> first =
      Request<T>(targets, values, bins).sums(work.repeats(), nullptr, what);
  expect_totals(first, totals_of(targets, values, bins), T(0), what);
  reorder(targets, values, random);
  const Request<T> shuffled(targets, values, bins);
  expect(same_bytes(shuffled.sums(1, nullptr, what), first), what + ": in another order");
  for (const Action& action : all_actions()) {
    const OneAction one(action);
    const DispatchTree tree = one.tree(true);
    expect(same_bytes(shuffled.sums(2, &tree, what), first), what + ": by " + action.name);
  }
}

template <typename T>
void test_same_bits(uint64_t seed) {
  std::mt19937_64 random(seed);
  const size_t n = work.updates() / 4;
  for (uint32_t bins : {3u, 2000u, 300000u}) {
    if (work.quick && bins > 2000) continue;
    const std::vector<uint32_t> targets = random_indices(random, n, bins);
    check<T>(targets, wild_values<T>(random, n), bins, random);
    if (bins == 2000) check<T>(targets, {}, bins, random);
  }
  // Targets of which few get an update.
  const uint32_t many = 100000;
  check<T>(random_indices(random, 2000, many), wild_values<T>(random, 2000), many, random);
}

}  // namespace dispatched
