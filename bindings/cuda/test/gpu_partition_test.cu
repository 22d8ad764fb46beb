// Tests on a GPU of update_partition.
#include "../atomtune_partition_update.cuh"
#include "gpu_test.cuh"

namespace {

using atomtune::Finish;
using atomtune::Partition;

template <typename T, typename V>
cudaError_t update(void* memory, size_t& bytes, T* A, const uint32_t* index, V values,
                   size_t updates, Partition partition, Finish finish) {
  return atomtune::update_partition(memory, bytes, A, index, values, updates, partition,
                                    nullptr, finish);
}

// check runs a call in its two phases; stored sums start from cleared targets.
template <typename T>
void check(const std::vector<uint32_t>& index, const std::vector<T>& values,
           Partition partition, Finish finish) {
  const T first = finish == Finish::store ? T(0) : T(3);
  const DeviceArray<T> A(std::vector<T>(partition.bins, first)), loaded(values);
  const DeviceArray<uint32_t> keys(index);
  const std::string what = "update_partition " + type_name<T>() +
                           (values.empty() ? " one, " : " loaded, ") +
                           std::to_string(index.size()) + " updates of " +
                           std::to_string(partition.bins);
  const auto call = [&](void* memory, size_t& bytes) {
    const T* const there = loaded.data();
    return values.empty() ? update(memory, bytes, A.data(), keys.data(), atomtune::One{},
                                   index.size(), partition, finish)
                          : update(memory, bytes, A.data(), keys.data(), there,
                                   index.size(), partition, finish);
  };
  size_t bytes = 0, few = 1;
  CHECK_CUDA(call(nullptr, bytes));
  const DeviceArray<unsigned char> memory(bytes);
  expect(call(memory.data(), few) == cudaErrorInvalidValue, what + ": one byte is refused");
  CHECK_CUDA(call(memory.data(), bytes));
  CHECK_CUDA(cudaDeviceSynchronize());
  expect_totals(A.to_host(), totals_of(index, values, partition.bins), first, what);
}

void check_limits() {
  size_t bytes = 0;
  const DeviceArray<uint32_t> A(1);
  const auto call = [&](size_t updates, Partition partition) {
    return update(nullptr, bytes, A.data(), A.data(), atomtune::One{}, updates, partition,
                  Finish::add);
  };
  CHECK_CUDA(call(10, {100, 6, 1}));
  const Partition wrong[] = {{100, 5, 1}, {100, 17, 1}, {100, 6, 0}, {0, 6, 1},
                             {100, 16, 8}, {1u << 31, 6, 1}};
  for (const Partition& partition : wrong) {
    expect(call(10, partition) == cudaErrorInvalidValue, "an invalid partition");
  }
  expect(call(size_t(1) << 32, {100, 6, 1}) == cudaErrorInvalidValue, "too many updates");
}

}  // namespace

void test_partition() {
  std::mt19937_64 random(5);
  check_limits();
  struct Size {
    uint32_t bins;
    size_t updates;
    unsigned shift;
    uint32_t copies;
  };
  for (const Size& size : {Size{1, 20011, 6, 1}, Size{257, 0, 6, 2}, Size{257, 1, 8, 3},
                           Size{70000, 200011, 6, 1}, Size{300000, 400000, 12, 2},
                           Size{50000, 100000, 14, 1}}) {
    const Partition partition{size.bins, size.shift, size.copies};
    const std::vector<uint32_t> index = random_indices(random, size.updates, size.bins);
    for_each_type([&](auto zero) {
      using T = decltype(zero);
      for (const Finish finish : {Finish::add, Finish::store}) {
        check<T>(index, wild_values<T>(random, size.updates), partition, finish);
        check<T>(index, {}, partition, finish);
      }
    });
  }
}
