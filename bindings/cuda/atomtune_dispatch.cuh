// One call that chooses by the indices: scatter_add, histogram, scatter_min, scatter_max,
// fetch_add. A kernel samples the indices, asks a decision tree of the device, and makes
// the updates by the form of the leaf; nothing waits on the host, so that a call can be
// captured into a CUDA graph and replayed with other data.
//
//   size_t bytes = 0;
//   atomtune::scatter_add(nullptr, bytes, out, K, index, values, n, stream);
//   cudaMalloc(&workspace, bytes);
//   atomtune::scatter_add(workspace, bytes, out, K, index, values, n, stream);
//
// or, with memory from a resource and in its stream,
//
//   atomtune::scatter_add(out, K, index, values, n, stream, atomtune::StreamMemory());
//
// out[index[u]] += values[u] for the n updates. Integers wrap, floats are rounded as
// atomtune.cuh says. Indices are integers of 8 to 64 bits; an update whose index is not in
// 0..K-1 is left out, and sets CallOptions::error. K is below 2^32 - 1.
//
// CallOptions say what else a call does. With atomtune::deterministic(options) in their place sums
// of floats are bitwise the same on every run.
//
// The choice is a function of the indices, the call and the device, and so the same on
// every run and every rank.
#pragma once

#include "atomtune_run.cuh"

namespace atomtune {

// scatter_add adds values[u] to out[index[u]].
template <typename T, typename I, typename V, typename Options = CallOptions>
cudaError_t scatter_add(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                        const V* values, uint64_t n, cudaStream_t stream = nullptr,
                        const Options& options = {}) {
  return calling::run_sum(workspace, bytes, out, K, index, calling::values_of<T>(values), n,
                          stream, options);
}

// scatter_min lowers out[index[u]] to values[u]. Numbers are compared as atomtune_extremes.cuh
// says; targets cannot be cleared.
template <typename T, typename I>
cudaError_t scatter_min(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                        const T* values, uint64_t n, cudaStream_t stream = nullptr,
                        const CallOptions& options = {}) {
  using E = Least<T>;
  if (options.clear) return cudaErrorInvalidValue;
  return calling::run<false, E>(workspace, bytes, E::array(out), K, index,
                                Loaded<E>{E::array(values)}, static_cast<E*>(nullptr), n, stream,
                                options);
}

// scatter_max raises out[index[u]] to values[u], likewise.
template <typename T, typename I>
cudaError_t scatter_max(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                        const T* values, uint64_t n, cudaStream_t stream = nullptr,
                        const CallOptions& options = {}) {
  using E = Greatest<T>;
  if (options.clear) return cudaErrorInvalidValue;
  return calling::run<false, E>(workspace, bytes, E::array(out), K, index,
                                Loaded<E>{E::array(values)}, static_cast<E*>(nullptr), n, stream,
                                options);
}

// histogram adds 1 to out[index[u]].
template <typename T, typename I, typename Options = CallOptions>
cudaError_t histogram(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                      uint64_t n, cudaStream_t stream = nullptr,
                      const Options& options = {}) {
  return calling::run_sum(workspace, bytes, out, K, index, Ones{}, n, stream, options);
}

// fetch_add is scatter_add that writes what update u found to old[u]. That depends on the order,
// so that no call of it is deterministic.
template <typename T, typename I, typename V>
cudaError_t fetch_add(void* workspace, size_t& bytes, T* out, uint64_t K, const I* index,
                      const V* values, T* old, uint64_t n, cudaStream_t stream = nullptr,
                      const CallOptions& options = {}) {
  return calling::run<true, T>(workspace, bytes, calling::wrapping(out), K, index,
                               calling::values_of<T>(values), calling::wrapping(old), n, stream,
                               options);
}

// StreamMemory is the memory of the device, taken and given back in the order of a stream. A
// resource of one's own has the same two functions.
struct StreamMemory {
  cudaError_t allocate(void** memory, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync(memory, bytes, stream);
  }
  cudaError_t deallocate(void* memory, size_t, cudaStream_t stream) {
    return cudaFreeAsync(memory, stream);
  }
};

// with_memory makes a call of two phases with memory from a resource: call(memory, bytes).
template <typename Memory, typename Phases>
cudaError_t with_memory(Memory&& resource, cudaStream_t stream, Phases call) {
  size_t bytes = 0;
  cudaError_t status = call(static_cast<void*>(nullptr), bytes);
  if (status != cudaSuccess) return status;
  void* memory = nullptr;
  status = resource.allocate(&memory, bytes, stream);
  if (status != cudaSuccess) return status;
  status = call(memory, bytes);
  const cudaError_t given_back = resource.deallocate(memory, bytes, stream);
  return status != cudaSuccess ? status : given_back;
}

// The calls with memory from a resource.
template <typename T, typename I, typename V, typename Memory, typename Options = CallOptions>
cudaError_t scatter_add(T* out, uint64_t K, const I* index, const V* values, uint64_t n,
                        cudaStream_t stream, Memory&& resource,
                        const Options& options = {}) {
  return with_memory(resource, stream, [&](void* memory, size_t& bytes) {
    return scatter_add(memory, bytes, out, K, index, values, n, stream, options);
  });
}

template <typename T, typename I, typename Memory, typename Options = CallOptions>
cudaError_t histogram(T* out, uint64_t K, const I* index, uint64_t n, cudaStream_t stream,
                      Memory&& resource, const Options& options = {}) {
  return with_memory(resource, stream, [&](void* memory, size_t& bytes) {
    return histogram(memory, bytes, out, K, index, n, stream, options);
  });
}

template <typename T, typename I, typename Memory>
cudaError_t scatter_min(T* out, uint64_t K, const I* index, const T* values, uint64_t n,
                        cudaStream_t stream, Memory&& resource,
                        const CallOptions& options = {}) {
  return with_memory(resource, stream, [&](void* memory, size_t& bytes) {
    return scatter_min(memory, bytes, out, K, index, values, n, stream, options);
  });
}

template <typename T, typename I, typename Memory>
cudaError_t scatter_max(T* out, uint64_t K, const I* index, const T* values, uint64_t n,
                        cudaStream_t stream, Memory&& resource,
                        const CallOptions& options = {}) {
  return with_memory(resource, stream, [&](void* memory, size_t& bytes) {
    return scatter_max(memory, bytes, out, K, index, values, n, stream, options);
  });
}

template <typename T, typename I, typename V, typename Memory>
cudaError_t fetch_add(T* out, uint64_t K, const I* index, const V* values, T* old, uint64_t n,
                      cudaStream_t stream, Memory&& resource,
                      const CallOptions& options = {}) {
  return with_memory(resource, stream, [&](void* memory, size_t& bytes) {
    return fetch_add(memory, bytes, out, K, index, values, old, n, stream, options);
  });
}

}  // namespace atomtune
