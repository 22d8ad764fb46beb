// Half of the updates go to one of a million targets: the forms for such a stream, one
// after the other, and whether each makes the same sums.
//
//   nvcc -O3 -std=c++17 -arch=native examples/skewed.cu -o skewed && ./skewed
#include "../atomtune_kernels.cuh"
#include "../atomtune_scatter.cuh"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace {

using namespace atomtune;

constexpr uint32_t targets = 1 << 20;
constexpr size_t updates = 1 << 22;
constexpr unsigned blocks = 512, threads = 256;

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

// managed memory is read and written by host and device.
template <typename T>
T* managed(size_t count) {
  T* data = nullptr;
  check(cudaMallocManaged(&data, count * sizeof(T)), "cudaMallocManaged");
  return data;
}

// Stream is what is added to what, and the sums that must come of it.
struct Stream {
  uint32_t* index = managed<uint32_t>(updates);
  float* values = managed<float>(updates);
  std::vector<float> sums = std::vector<float>(targets);

  Stream() {
    std::mt19937 random(1);
    for (size_t u = 0; u < updates; ++u) {
      index[u] = uint32_t(random() % 2 ? 777 : random() % targets);
      values[u] = float(1 + random() % 3);  // sums below 2^24, which do not round
      sums[index[u]] += values[u];
    }
  }
};

// try_form runs launch(A) and compares the sums in A.
template <typename Launch>
bool try_form(const char* name, const Stream& s, float* A, Launch launch) {
  for (uint32_t k = 0; k < targets; ++k) A[k] = 0;
  launch();
  check(cudaGetLastError(), name);
  check(cudaDeviceSynchronize(), name);
  const bool right = std::equal(s.sums.begin(), s.sums.end(), A);
  std::printf("%-24s %s\n", name, right ? "right" : "WRONG");
  return right;
}

}  // namespace

int main() {
  const Stream s;
  const Loaded<float> values{s.values};
  float* const A = managed<float>(targets);
  uint32_t* const tags = managed<uint32_t>(1024);
  const HotTable table{1024, 4, tags};
  bool right = true;

  // Four updates in flight per thread.
  right &= try_form("naive, 4 in flight", s, A, [&] {
    update_global<Naive, 4><<<blocks, threads>>>(A, s.index, values, updates);
  });

  // A table of known frequencies.
  const auto known = fill_hot_tags(target_counts(s.index, updates, targets), table.slots);
  std::copy(known.begin(), known.end(), tags);
  right &= try_form("hot, known targets", s, A, [&] {
    update_hot<Match><<<blocks, threads, table.bytes<float>()>>>(A, s.index, values,
                                                                updates, table);
  });

  // A table of a sample, in the same stream of launches.
  const HotSample sample{table.slots, 2048};
  right &= try_form("hot, sampled targets", s, A, [&] {
    fill_hot<><<<sample.blocks(), 1024, sample.bytes(sample.blocks())>>>(tags, s.index,
                                                                        updates, sample);
    update_hot<Naive, 4><<<blocks, threads, table.bytes<float>()>>>(A, s.index, values,
                                                                   updates, table);
  });

  // Private copies of 1/64 of the targets: 16,384 sums, 64 KiB a block.
  const RangedCopies copies{Copies{targets, 1, 0, false}, 64};
  const size_t bytes = copies.words() * sizeof(float);
  const auto kernel = update_private<Naive, 1, float, Loaded<float>, RangedCopies>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             int(bytes)),
        "64 KiB of shared memory");
  right &= try_form("private, 64 ranges", s, A, [&] {
    kernel<<<512, 1024, bytes>>>(A, s.index, values, updates, copies);
  });
  return right ? 0 : 1;
}
