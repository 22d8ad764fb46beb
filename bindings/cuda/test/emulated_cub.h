// What the sorts of atomtune_sort.cuh call of CUB, on the host: working memory is a byte.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "emulated_runtime.h"

namespace cub {

// asks reports whether a call asks for the size of its working memory.
inline bool asks(void* memory, size_t& bytes) {
  if (memory == nullptr) bytes = 1;
  return memory == nullptr;
}

struct DeviceRadixSort {
  template <typename K, typename V>
  static cudaError_t SortPairs(void* memory, size_t& bytes, const K* key, K* keys, const V* value,
                               V* values, int n, int, int bits, cudaStream_t) {
    if (asks(memory, bytes)) return cudaSuccess;
    if (bits > 8 * int(sizeof(K))) return cudaErrorInvalidValue;
    const auto digits = [&](K k) { return uint64_t(k) & ((uint64_t(1) << bits) - 1); };
    std::vector<int> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return digits(key[a]) < digits(key[b]); });
    for (int p = 0; p < n; ++p) {
      keys[p] = key[order[size_t(p)]];
      values[p] = value[order[size_t(p)]];
    }
    return cudaSuccess;
  }
  template <typename K>
  static cudaError_t SortKeys(void* memory, size_t& bytes, const K* key, K* keys, int n, int begin,
                              int bits, cudaStream_t stream) {
    return SortPairs(memory, bytes, key, keys, key, keys, n, begin, bits, stream);
  }
};

struct DeviceReduce {
  template <typename K, typename V, typename S, typename Plus>
  static cudaError_t ReduceByKey(void* memory, size_t& bytes, const K* key, K* keys, V value,
                                 S* sums, uint32_t* runs, Plus plus, int n, cudaStream_t) {
    if (asks(memory, bytes)) return cudaSuccess;
    uint32_t r = 0;
    for (int u = 0; u < n; ++u) {
      if (u == 0 || key[u] != key[u - 1]) {
        keys[r] = key[u];
        sums[r++] = value[u];
      } else {
        sums[r - 1] = plus(sums[r - 1], value[u]);
      }
    }
    *runs = r;
    return cudaSuccess;
  }
};

struct DeviceRunLengthEncode {
  template <typename K>
  static cudaError_t Encode(void* memory, size_t& bytes, const K* key, K* keys, uint32_t* lengths,
                            uint32_t* runs, int n, cudaStream_t stream) {
    const std::vector<uint32_t> ones(static_cast<size_t>(n), 1);
    const auto add = [](uint32_t a, uint32_t b) { return a + b; };
    return DeviceReduce::ReduceByKey(memory, bytes, key, keys, ones.data(), lengths, runs, add, n,
                                     stream);
  }
};

}  // namespace cub
