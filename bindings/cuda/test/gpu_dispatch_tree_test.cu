// Calls on a GPU by the device's own tree: sizes from one update on, few and many targets.
#include "gpu_dispatch.cuh"

using namespace atomtune;

namespace {

template <typename T, typename I>
void check(size_t n, uint32_t bins, std::mt19937_64& random) {
  const std::vector<uint32_t> targets = random_indices(random, n, bins);
  const std::vector<T> values = wild_values<T>(random, n);
  const DeviceArray<I> index(indices_of<I>(targets));
  const DeviceArray<T> loaded(values);
  const DeviceArray<uint32_t> chosen(std::vector<uint32_t>{~0u});
  const Guarded<T> out(std::vector<T>(bins, T(77)));
  CallOptions options;
  options.clear = true;
  options.chosen = chosen.data();
  finish([&](void* memory, size_t& bytes) {
    return scatter_add(memory, bytes, out.data(), bins, index.data(), loaded.data(), n,
                       nullptr, options);
  });
  const std::string what = "the device's tree on " + std::to_string(n) + " updates of " +
                           std::to_string(bins) + " " + type_name<T>();
  expect_totals(out.read(what), totals_of(targets, values, bins), T(0), what);
  calling::Device device;
  CHECK_CUDA(calling::current_device(&device));
  expect(chosen.to_host()[0] < device.tree->action_count, what + ": no action is chosen");
}

template <typename T, typename I>
void check_sizes(std::mt19937_64& random) {
  for (size_t n : {size_t(1), size_t(33), size_t(5000), size_t(1) << 20, size_t(1) << 22}) {
    for (uint32_t bins : {1u, 300u, 20000u, 1u << 20, 5000000u}) {
      if (work.quick && (n > 5000 || bins > 20000)) continue;
      check<T, I>(n, bins, random);
    }
  }
}

}  // namespace

void test_device_tree() {
  std::mt19937_64 random(51);
  check_sizes<uint32_t, uint32_t>(random);
  check_sizes<float, int64_t>(random);
  check_sizes<double, uint32_t>(random);
}
