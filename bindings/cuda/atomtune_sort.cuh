// The implementations without atomics: update_sort brings equal indices together by
// CUB's radix sort, update_segreduce takes a stream as it lies; both then sum each run
// and give one addition to each target. Host functions, in two phases like CUB's own:
//
//   size_t bytes = 0;
//   atomtune::update_sort(nullptr, bytes, A, index, values, updates, bins);
//   cudaMalloc(&memory, bytes);
//   atomtune::update_sort(memory, bytes, A, index, values, updates, bins, stream);
//
// values is a pointer to device memory, or One{}: then no value is read, indices are
// sorted alone and runs are counted. Indices, unsigned integers of 8 to 64 bits, lie in device
// memory. With Finish::add updates whose index is not below bins are left out; with Finish::store
// there may be none.
// Only the index bits that tell bins apart are sorted. Needs CUB, which comes with nvcc.
#pragma once

#include <algorithm>
#include <climits>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>

#include "atomtune_scratch.cuh"
#include "atomtune_warp.cuh"

namespace atomtune {

// finish_runs gives each run's sum to its target, in a grid-stride loop: added by an
// atomic, or stored, which is right where each target has one run too, as after a sort or
// in a grouped stream.
template <typename T, typename I, typename S>
__global__ void finish_runs(T* A, const I* __restrict__ target,
                            const S* __restrict__ sum, const uint32_t* runs,
                            uint32_t bins, Finish finish) {
  const uint32_t step = gridDim.x * blockDim.x;
  for (uint32_t r = blockIdx.x * blockDim.x + threadIdx.x; r < *runs; r += step) {
    if (target[r] >= bins) continue;
    if (finish == Finish::add) {
      atomic_add<T>(A + target[r], T(sum[r]));
    } else {
      A[target[r]] = T(sum[r]);
    }
  }
}

namespace sorting {

struct Plus {
  template <typename T>
  __host__ __device__ __forceinline__ T operator()(const T& a, const T& b) const {
    return plus(a, b);
  }
};

// Word has T's size: a sort moves values without looking at them, so that two widths
// serve all types.
template <typename T>
using Word = std::conditional_t<sizeof(T) == 4, uint32_t, unsigned long long>;

// key_bits is the number of low bits of an index that tell bins targets apart.
template <typename I = uint32_t>
int key_bits(uint32_t bins) {
  const int most = sizeof(I) < 4 ? 8 * int(sizeof(I)) : 32;
  int bits = 1;
  while (bits < most && (bins - 1) >> bits != 0) ++bits;
  return bits;
}

// Runs are the runs of equal indices with their sums: of type T, or counts.
template <typename I, typename S>
struct Runs {
  Runs(Carver& carver, size_t most)
      : target(carver.take<I>(most)), sum(carver.take<S>(most)),
        number(carver.take<uint32_t>(1)) {}

  I* target;
  S* sum;
  uint32_t* number;
};

// Sum is the type of a run's sum: counts where ones are added.
template <typename T, typename V>
using Sum = std::conditional_t<is_one<V>, uint32_t, T>;

// reduce sums each run, in CUB's two phases.
template <typename T, typename I, typename V>
cudaError_t reduce(void* scratch, size_t& bytes, const I* index, V values, int n,
                   const Runs<I, Sum<T, V>>& runs, cudaStream_t stream) {
  if constexpr (is_one<V>) {
    return cub::DeviceRunLengthEncode::Encode(scratch, bytes, index, runs.target, runs.sum,
                                              runs.number, n, stream);
  } else {
    return cub::DeviceReduce::ReduceByKey(scratch, bytes, index, runs.target, values,
                                          runs.sum, runs.number, Plus{}, n, stream);
  }
}

// sort orders the updates by index, in CUB's two phases.
template <typename T, typename I, typename V>
cudaError_t sort(void* scratch, size_t& bytes, const I* index, V values, I* keys,
                 T* sorted, int n, int bits, cudaStream_t stream) {
  if constexpr (is_one<V>) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, index, keys, n, 0, bits, stream);
  } else {
    return cub::DeviceRadixSort::SortPairs(
        scratch, bytes, index, keys, reinterpret_cast<const Word<T>*>(values),
        reinterpret_cast<Word<T>*>(sorted), n, 0, bits, stream);
  }
}

// launch_finish launches finish_runs for at most most runs.
template <typename T, typename I, typename S>
cudaError_t launch_finish(T* A, const Runs<I, S>& runs, size_t most, uint32_t bins,
                          Finish finish, cudaStream_t stream) {
  int device = 0, sms = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status != cudaSuccess) return status;
  status = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  if (status != cudaSuccess) return status;
  const size_t blocks = std::min<size_t>((most + 255) / 256, size_t(8) * size_t(sms));
  finish_runs<<<unsigned(blocks), 256, 0, stream>>>(A, runs.target, runs.sum, runs.number,
                                                   bins, finish);
  return cudaGetLastError();
}

// checked refuses what CUB's 32-bit counts cannot hold, and values of another type
// than a pointer or One.
template <typename T, typename V>
cudaError_t checked(size_t updates, uint32_t bins) {
  static_assert(is_one<V> || std::is_convertible_v<V, const T*>,
                "values is a pointer to T or One{}");
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "targets of 32 or 64 bits");
  return updates > INT_MAX || (updates > 0 && bins == 0) ? cudaErrorInvalidValue
                                                         : cudaSuccess;
}

}  // namespace sorting

// update_sort adds each update to its target: A[index[u]] += values[u]. Without memory
// it sets bytes to the working memory that it needs. It returns cudaErrorInvalidValue for
// more than 2^31 - 1 updates or too little memory, else what CUDA says.
template <typename T, typename I, typename V>
cudaError_t update_sort(void* memory, size_t& bytes, T* A, const I* index, V values,
                        size_t updates, uint32_t bins, cudaStream_t stream = nullptr,
                        Finish finish = Finish::add) {
  using namespace sorting;
  cudaError_t status = checked<T, V>(updates, bins);
  if (status != cudaSuccess) return status;
  const int n = static_cast<int>(updates), bits = bins == 0 ? 1 : key_bits<I>(bins);
  Carver carver(memory);
  I* const keys = carver.take<I>(updates);
  T* const sorted = carver.take<T>(is_one<V> ? 0 : updates);
  Carver second(carver.rest());  // where the sort has worked
  const Runs<I, Sum<T, V>> runs(second, updates);
  [[maybe_unused]] std::conditional_t<is_one<V>, One, const T*> in_order{};
  if constexpr (!is_one<V>) in_order = sorted;

  if (memory == nullptr) {
    size_t sort_bytes = 0, reduce_bytes = 0;
    status = sort<T>(nullptr, sort_bytes, index, values, keys, sorted, n, bits, stream);
    if (status != cudaSuccess) return status;
    status = reduce<T>(nullptr, reduce_bytes, keys, in_order, n, runs, stream);
    bytes = carver.bytes() + std::max(sort_bytes, second.bytes() + reduce_bytes);
    return status;
  }
  if (bytes < carver.bytes() + second.bytes()) return cudaErrorInvalidValue;
  if (updates == 0) return cudaSuccess;
  size_t rest = bytes - carver.bytes();
  status = sort<T>(carver.rest(), rest, index, values, keys, sorted, n, bits, stream);
  if (status != cudaSuccess) return status;
  rest -= second.bytes();
  status = reduce<T>(second.rest(), rest, keys, in_order, n, runs, stream);
  if (status != cudaSuccess) return status;
  return launch_finish(A, runs, std::min<size_t>(updates, bins), bins, finish, stream);
}

// update_segreduce sums each run of the stream as it lies. It is meant for grouped
// streams, where each target's updates stand together; with Finish::add it is right for
// any. Memory and errors are as with update_sort.
template <typename T, typename I, typename V>
cudaError_t update_segreduce(void* memory, size_t& bytes, T* A, const I* index, V values,
                             size_t updates, uint32_t bins,
                             cudaStream_t stream = nullptr, Finish finish = Finish::add) {
  using namespace sorting;
  cudaError_t status = checked<T, V>(updates, bins);
  if (status != cudaSuccess) return status;
  const int n = static_cast<int>(updates);
  Carver carver(memory);
  const Runs<I, Sum<T, V>> runs(carver, updates);
  if (memory == nullptr) {
    size_t reduce_bytes = 0;
    status = reduce<T>(nullptr, reduce_bytes, index, values, n, runs, stream);
    bytes = carver.bytes() + reduce_bytes;
    return status;
  }
  if (bytes < carver.bytes()) return cudaErrorInvalidValue;
  if (updates == 0) return cudaSuccess;
  size_t rest = bytes - carver.bytes();
  status = reduce<T>(carver.rest(), rest, index, values, n, runs, stream);
  if (status != cudaSuccess) return status;
  return launch_finish(A, runs, std::min<size_t>(updates, bins), bins, finish, stream);
}

}  // namespace atomtune
