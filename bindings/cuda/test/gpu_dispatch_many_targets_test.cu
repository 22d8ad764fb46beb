// Calls on a GPU with somewhat more than 2^31 targets, whose places need 64 bits in bytes and
// whose indices need all of 32. The sum over all targets shows that no other was written.
#include <limits>
#include <numeric>

#include "gpu_dispatch.cuh"

using namespace atomtune;

namespace {

// add_up adds all targets to *sum.
template <typename T>
__global__ void add_up(unsigned long long* sum, const T* targets, size_t n) {
  unsigned long long mine = 0;
  for (size_t k = blockIdx.x * size_t(blockDim.x) + threadIdx.x; k < n;
       k += size_t(gridDim.x) * blockDim.x) {
    mine += static_cast<unsigned long long>(targets[k]);
  }
  atomicAdd(sum, mine);
}

template <typename T>
unsigned long long sum_of(const DeviceArray<T>& targets) {
  const DeviceArray<unsigned long long> sum(std::vector<unsigned long long>{0});
  add_up<<<1024, 256>>>(sum.data(), targets.data(), targets.size());
  CHECK_CUDA(cudaGetLastError());
  return sum.to_host()[0];
}

// places are few targets from the first to the last.
std::vector<uint64_t> places(uint64_t K) {
  return {0, 1, K / 4, K / 2 - 1, K / 2, K - 4097, K - 4096, K - 2, K - 1};
}

// check counts indices of a type at the places that it reaches. A negative one is none.
template <typename T, typename I, typename Options>
void check(const DeviceArray<T>& out, const Options& options, const std::string& what) {
  const uint64_t K = out.size();
  std::vector<I> reached;
  for (uint64_t place : places(K)) {
    if (place <= uint64_t(std::numeric_limits<I>::max())) reached.push_back(I(place));
  }
  std::vector<size_t> count(reached.size());
  std::vector<I> index(work.updates());
  for (size_t u = 0; u < index.size(); ++u) {
    const bool bad = std::is_signed_v<I> && u % 5 == 0;
    index[u] = bad ? std::numeric_limits<I>::min() : reached[u % reached.size()];
    if (!bad) ++count[u % reached.size()];
  }
  const DeviceArray<I> indices(index);
  finish([&](void* memory, size_t& bytes) {
    return histogram(memory, bytes, out.data(), K, indices.data(), index.size(), nullptr,
                     options);
  });
  expect(sum_of(out) == std::accumulate(count.begin(), count.end(), size_t(0)),
         what + ": the sum of all targets");
  for (size_t k = 0; k < reached.size(); ++k) {
    T got = T(0);
    CHECK_CUDA(cudaMemcpy(&got, out.data() + uint64_t(reached[k]), sizeof got,
                          cudaMemcpyDeviceToHost));
    expect(got == T(count[k]), what + ": target " + std::to_string(reached[k]));
  }
}

template <typename I>
void check_forms(const DeviceArray<uint32_t>& out) {
  CallOptions options;
  options.clear = true;
  const std::string what = "many targets, indices of " + type_name<I>();
  check<uint32_t, I>(out, options, what + ", by the device's tree");
  for (const Action& action : all_actions()) {
    const OneAction one(action);
    const DispatchTree tree = one.tree(true);
    options.tree = &tree;
    check<uint32_t, I>(out, options, what + ", by " + action.name);
  }
}

void check_integers(uint64_t K) {
  if (!has_room(K * sizeof(uint32_t) + (size_t(1) << 30), "counts of many targets")) return;
  const DeviceArray<uint32_t> out(K);
  check_forms<uint32_t>(out);
  check_forms<int32_t>(out);
  check_forms<int64_t>(out);
}

void check_deterministic(uint64_t K) {
  const size_t sums = sizeof(FixedSum<fixed_words<float>>);
  if (!has_room(K * (sizeof(float) + sums) + (size_t(1) << 30),
                "deterministic sums of many targets")) {
    return;
  }
  const DeviceArray<float> out(K);
  CallOptions options;
  options.clear = true;
  check<float, int64_t>(out, deterministic(options), "deterministic sums of many targets");
}

}  // namespace

void test_many_targets() {
  const uint64_t K = work.targets() + 4096;
  check_integers(K);
  check_deterministic(K);
}
