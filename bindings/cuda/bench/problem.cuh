// A problem of the bench and the calls that solve it: what is timed, and how a result is checked.
//
// BENCH_T, the type of the targets, BENCH_I, that of the indices, and BENCH_ONES, 1 where the
// constant 1 is added, are given to the compiler: each kind of call is a library of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../atomtune_kernels.cuh"
#include "../companion/device.cuh"

namespace bench {

using companion::DeviceArray;
using T = BENCH_T;
using Index = BENCH_I;
constexpr bool ones = BENCH_ONES != 0;
using Values = std::conditional_t<ones, atomtune::Ones, atomtune::Loaded<T>>;

// index_name is the name of a type of indices.
template <typename I = Index>
std::string index_name() {
  return (std::is_signed_v<I> ? 'i' : 'u') + std::to_string(8 * sizeof(I));
}

// Problem is a stream in device memory with the targets and what they must become; class
// Problem of library.py mirrors it. Calls of ones clear the targets, as a histogram does; the
// others add to existing values.
struct Problem {
  T* out;
  const Index* index;
  const int64_t* wide;         // the same indices as 64-bit integers
  const T* values;             // null where ones are added
  uint64_t bins, updates;
  const double *sum, *count;   // of each target: what it must become, and how many updates it has

  // loaded is values as kernels take them, operand as the calls of several kernels do.
#if BENCH_ONES
  Values loaded() const { return {}; }
  atomtune::One operand() const { return {}; }
#else
  Values loaded() const { return {values}; }
  const T* operand() const { return values; }
#endif

  size_t bytes() const { return sizeof(T) * bins; }
};

// Call is one way to solve the problem. enqueue leaves out the clearing, unless it clears itself.
// chosen, where it is given, names the form that the last call ran, and its launch.
struct Call {
  std::string implementation, launch, index;
  bool clears;
  std::function<cudaError_t(cudaStream_t)> enqueue;
  std::function<std::string()> chosen = nullptr;
};

using Memory = DeviceArray<unsigned char>;

// Solver holds a problem with its calls. What a call needs beside the problem lives as long as
// the call.
class Solver {
 public:
  explicit Solver(const Problem& problem) : p(problem), wrong_(1) {
    CHECK_CUDA(cudaGetDevice(&device_));
    CHECK_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device_));
    int most = 0;
    CHECK_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device_));
    block_bytes = size_t(most);
  }

  void add(Call call) { calls.push_back(std::move(call)); }

  // add_phased adds a call of two phases in CUB's manner, phase(memory, bytes, stream), with its
  // working memory. One that asks for more than most_memory, or that the device refuses, is left
  // out.
  template <typename Phase>
  void add_phased(const std::string& name, const std::string& index, bool clears, Phase phase) {
    size_t bytes = 0;
    if (phase(nullptr, bytes, nullptr) != cudaSuccess || bytes > most_memory) {
      cudaGetLastError();
      return;
    }
    const auto memory = std::make_shared<Memory>(bytes + 1);
    add({name, "", index, clears, [=](cudaStream_t stream) {
           size_t have = bytes;
           return phase(static_cast<void*>(memory->data()), have, stream);
         }});
  }

  // run enqueues a call as a user would make it.
  cudaError_t run(const Call& call, cudaStream_t stream) const {
    if (ones && !call.clears) {
      const cudaError_t status = cudaMemsetAsync(p.out, 0, p.bytes(), stream);
      if (status != cudaSuccess) return status;
    }
    return call.enqueue(stream);
  }

  long long wrong_targets(const Call& call);
  long long wrong_now();

  static constexpr size_t most_memory = size_t(16) << 30;

  Problem p;
  std::vector<Call> calls;
  int sms = 0;
  size_t block_bytes = 0;  // of shared memory, at most

 private:
  int device_ = 0;
  DeviceArray<unsigned long long> wrong_;
};

// close_enough says whether a target is what it must be: integers modulo their width, floats
// exactly while the sum is below 2^p, p the width of the significand, since up to there no order
// of additions rounds, and above by the forward bound n/(2^p - n) of n terms in any order.
__device__ inline bool close_enough(T got, double want, double terms) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr double limit = double(1ull << std::numeric_limits<T>::digits);
    if (want < limit) return double(got) == want;
    return fabs(double(got) - want) <= want * terms / (limit - terms);
  } else {
    return got == static_cast<T>(static_cast<unsigned long long>(want));
  }
}

static __global__ void count_wrong(Problem p, unsigned long long* wrong) {
  for (size_t k = size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < p.bins;
       k += size_t(gridDim.x) * blockDim.x) {
    if (!close_enough(p.out[k], p.sum[k], p.count[k])) atomicAdd(wrong, 1ull);
  }
}

// wrong_targets makes a call on cleared targets, where it does not clear them, and counts the
// targets that are wrong after it. Those that a call has to clear hold rubbish before.
inline long long Solver::wrong_targets(const Call& call) {
  CHECK_CUDA(cudaMemset(p.out, ones ? 0x5a : 0, p.bytes()));
  CHECK_CUDA(run(call, nullptr));
  return wrong_now();
}

// wrong_now counts the targets that are wrong as they stand.
inline long long Solver::wrong_now() {
  CHECK_CUDA(cudaMemset(wrong_.data(), 0, wrong_.bytes()));
  count_wrong<<<unsigned(8 * sms), 256>>>(p, wrong_.data());
  CHECK_CUDA(cudaGetLastError());
  return static_cast<long long>(wrong_.to_host()[0]);
}

}  // namespace bench
