// The CUDA runtime as far as emitted programs call it, on the emulated warp: device memory is the
// host's, a launch runs at once, and a time is 1 ms. Text that a host compiler reads has
// emulated::launch in place of <<<>>>.
#pragma once

#include <algorithm>

#include "warp_emulator.h"

enum cudaError_t { cudaSuccess, cudaErrorInvalidValue };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount, cudaDevAttrMaxSharedMemoryPerBlockOptin };
using cudaStream_t = void*;
using cudaEvent_t = void*;
struct cudaDeviceProp {
  char name[16];
};
struct uint2 {
  unsigned x, y;
};

namespace emulated {

constexpr int most_shared = 227 << 10, plain_shared = 48 << 10;
inline int allowed = plain_shared;  // what the kernel that asked for most got

struct Launch {
  size_t blocks, threads, bytes = 0;
  cudaStream_t stream = nullptr;
};

// launch runs blocks of one warp, as many warps as the grid has; a grid of one block is one
// block, as kernels are that ask for it.
inline void launch(Launch l, Body kernel) {
  if (l.bytes > size_t(allowed)) Warp::fail("a block has more shared memory than was allowed");
  if (l.blocks == 0 || l.threads == 0 || l.threads > 1024 || l.threads % 32 != 0) {
    Warp::fail("no such launch");
  }
  gridDim.x = unsigned(l.blocks == 1 ? 1 : l.blocks * l.threads / 32);
  for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) the_warp.run(0xffffffffu, kernel);
  blockIdx.x = 0;
}

}  // namespace emulated

template <typename T>
cudaError_t cudaMalloc(T** data, size_t bytes) {
  *data = static_cast<T*>(std::malloc(bytes));
  std::memset(static_cast<void*>(*data), 0xa5, bytes);
  return *data == nullptr ? cudaErrorInvalidValue : cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t = nullptr) {
  std::memset(data, value, bytes);
  return cudaSuccess;
}
template <typename Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int bytes) {
  if (bytes > emulated::most_shared) return cudaErrorInvalidValue;
  emulated::allowed = std::max(emulated::allowed, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int,
                                                                 size_t) {
  *blocks = 1;
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMultiProcessorCount ? 2 : emulated::most_shared;
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {"emulated warp"};
  return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t*) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
  *ms = 1;
  return cudaSuccess;
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return "an error of the emulation"; }
