// What calls read of a device, once: its SMs, the shared memory of a block, its L2, its tree.
#pragma once

#include <atomic>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "atomtune_trees.cuh"

namespace atomtune {

namespace calling {

// Device is what calls need of a device.
struct Device {
  int number = 0, sms = 0;
  char name[256] = "";
  size_t block_bytes = 0;  // shared memory of a block at most
  size_t cache_bytes = 0;  // of L2
  const DispatchTree* tree = nullptr;
};

// names reports whether the name of a device, such as NVIDIA H200, has that of a tree in it.
inline bool names(const char* name, const char* tree) {
  for (; *name != 0; ++name) {
    size_t k = 0;
    while (tree[k] != 0 && std::tolower(name[k]) == std::tolower(tree[k])) ++k;
    if (tree[k] == 0) return true;
  }
  return false;
}

// MoreTrees are trees that a program has loaded before its first call.
struct MoreTrees {
  const DispatchTree* tree;
  const MoreTrees* next;
};
inline const MoreTrees* more_trees = nullptr;

// tree_of is the tree of a device: by its name, else by the nearest compute capability, then
// the nearest number of SMs. Loaded ones come first.
inline const DispatchTree* tree_of(const char* name, int major, int minor, int sms) {
  const DispatchTree *named = nullptr, *best = nullptr;
  long least = 0;
  const auto see = [&](const DispatchTree& tree) {
    if (named == nullptr && names(name, tree.device)) named = &tree;
    const long far = 1000000L * std::abs(10 * (tree.major - major) + tree.minor - minor) +
                     std::abs(tree.sms - sms);
    if (best == nullptr || far < least) best = &tree, least = far;
  };
  for (auto* more = more_trees; more != nullptr; more = more->next) see(*more->tree);
  for (const DispatchTree& tree : trees) see(tree);
  return named != nullptr ? named : best;
}

inline cudaError_t read_device(int number, Device* device) {
  cudaDeviceProp properties;
  const cudaError_t status = cudaGetDeviceProperties(&properties, number);
  if (status != cudaSuccess) return status;
  device->number = number;
  device->sms = properties.multiProcessorCount;
  device->block_bytes = properties.sharedMemPerBlockOptin;
  device->cache_bytes = size_t(properties.l2CacheSize);
  device->tree = tree_of(properties.name, properties.major, properties.minor, device->sms);
  static_assert(sizeof device->name == sizeof properties.name);
  std::memcpy(device->name, properties.name, sizeof device->name);
  return cudaSuccess;
}

// current_device is the calling thread's device. Its properties are kept once they are read; a
// thread that comes meanwhile reads them for itself.
inline cudaError_t current_device(Device* device) {
  enum State { unknown, written, known };
  constexpr int most = 64;
  static Device kept[most];
  static std::atomic<State> states[most];
  int number = 0;
  cudaError_t status = cudaGetDevice(&number);
  if (status != cudaSuccess) return status;
  if (number >= most) return read_device(number, device);
  std::atomic<State>& state = states[number];
  if (state.load(std::memory_order_acquire) == known) {
    *device = kept[number];
    return cudaSuccess;
  }
  status = read_device(number, device);
  State first = unknown;
  if (status == cudaSuccess && state.compare_exchange_strong(first, written)) {
    kept[number] = *device;
    state.store(known, std::memory_order_release);
  }
  return status;
}

// allow lets a kernel have so much dynamic shared memory, once for each device.
inline cudaError_t allow(const void* kernel, std::atomic<uint64_t>& done, int device,
                         size_t bytes) {
  const uint64_t bit = device < 64 ? uint64_t(1) << device : 0;
  if ((done.load(std::memory_order_acquire) & bit) != 0) return cudaSuccess;
  const cudaError_t status = cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
  if (status == cudaSuccess) done.fetch_or(bit, std::memory_order_release);
  return status;
}

}  // namespace calling

}  // namespace atomtune
