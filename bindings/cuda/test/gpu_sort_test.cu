// Tests on a GPU of update_sort and update_segreduce.
#include "../atomtune_sort.cuh"
#include "gpu_test.cuh"

namespace {

using atomtune::Finish;


// check_call runs call(memory, bytes) in its two phases and demands that too little
// memory is refused.
template <typename Call>
void check_call(Call call, const std::string& what) {
  size_t bytes = 0, few = 1;
  CHECK_CUDA(call(nullptr, bytes));
  expect(bytes > 0, what + ": needs memory");
  const DeviceArray<unsigned char> memory(bytes);
  expect(call(memory.data(), few) == cudaErrorInvalidValue, what + ": one byte is refused");
  CHECK_CUDA(call(memory.data(), bytes));
  CHECK_CUDA(cudaDeviceSynchronize());
}

// check runs update on a stream; stored sums start from cleared targets.
template <typename T, typename Call>
void check(const std::vector<uint32_t>& index, const std::vector<T>& values,
           uint32_t bins, Finish finish, const std::string& name, Call update) {
  const T first = finish == Finish::store ? T(0) : T(3);
  const DeviceArray<T> A(std::vector<T>(bins, first)), loaded(values);
  const DeviceArray<uint32_t> keys(index);
  const std::string what = name + " " + type_name<T>() +
                           (values.empty() ? " one, " : " loaded, ") +
                           std::to_string(index.size()) + " updates of " +
                           std::to_string(bins);
  check_call(
      [&](void* memory, size_t& bytes) {
        return values.empty()
                   ? update(memory, bytes, A.data(), keys.data(), atomtune::One{}, finish)
                   : update(memory, bytes, A.data(), keys.data(),
                            static_cast<const T*>(loaded.data()), finish);
      },
      what);
  expect_totals(A.to_host(), totals_of(index, values, bins), first, what);
}

template <typename T>
void check_stream(const std::vector<uint32_t>& index, const std::vector<T>& values,
                  uint32_t bins) {
  const size_t n = index.size();
  const auto sort = [=](void* m, size_t& b, T* A, const uint32_t* i, auto v, Finish f) {
    return atomtune::update_sort(m, b, A, i, v, n, bins, nullptr, f);
  };
  const auto segreduce = [=](void* m, size_t& b, T* A, const uint32_t* i, auto v,
                             Finish f) {
    return atomtune::update_segreduce(m, b, A, i, v, n, bins, nullptr, f);
  };
  check(index, values, bins, Finish::add, "update_sort", sort);
  check(index, values, bins, Finish::store, "update_sort storing", sort);
  check(index, values, bins, Finish::add, "update_segreduce", segreduce);
  std::vector<uint32_t> grouped = index;
  std::sort(grouped.begin(), grouped.end(), std::greater<>());
  check(grouped, values, bins, Finish::store, "update_segreduce storing", segreduce);
}

void check_limits() {
  size_t bytes = 0;
  const DeviceArray<uint32_t> A(1);
  const auto sort = [&](void* memory, size_t updates, uint32_t bins) {
    return atomtune::update_sort(memory, bytes, A.data(), A.data(), atomtune::One{},
                                 updates, bins);
  };
  expect(sort(nullptr, size_t(1) << 31, 1) == cudaErrorInvalidValue,
         "update_sort: too many updates");
  expect(sort(nullptr, 1, 0) == cudaErrorInvalidValue, "update_sort: no targets");
  CHECK_CUDA(sort(nullptr, 0, 0));
  const DeviceArray<unsigned char> memory(bytes);
  expect(sort(memory.data(), 0, 0) == cudaSuccess, "update_sort: nothing to do");
  expect(atomtune::sorting::key_bits(1) == 1 && atomtune::sorting::key_bits(256) == 8 &&
             atomtune::sorting::key_bits(257) == 9 &&
             atomtune::sorting::key_bits(0xffffffffu) == 32,
         "key_bits: the bits that tell targets apart");
}

}  // namespace

void test_sort() {
  std::mt19937_64 random(3);
  check_limits();
  struct Size {
    uint32_t bins;
    size_t updates;
  };
  for (const Size& size : {Size{1, 20011}, Size{257, 1}, Size{70000, 20011}}) {
    const std::vector<uint32_t> index = random_indices(random, size.updates, size.bins);
    for_each_type([&](auto zero) {
      using T = decltype(zero);
      check_stream<T>(index, wild_values<T>(random, size.updates), size.bins);
      check_stream<T>(index, {}, size.bins);
    });
  }
}
