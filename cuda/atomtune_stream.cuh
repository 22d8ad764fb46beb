// A whole stream of updates in one kernel: the forms as types, so that one body
// serves them all, the two kinds of value, and the loop over the stream.
#pragma once

#include <cstddef>

#include "atomtune_fetch.cuh"

namespace atomtune {

// A form as a type. mask names the lanes that call together, draw is vr's.
struct Naive {
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ void add(T* A, I i, V v, unsigned, unsigned) {
    add_naive(A, i, v);
  }
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ T fetch_add(T* A, I i, V v, unsigned, unsigned) {
    return fetch_add_naive(A, i, v);
  }
};

struct ScanReduce {
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ void add(T* A, I i, V v, unsigned mask, unsigned) {
    add_sr(A, i, v, mask);
  }
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ T fetch_add(T* A, I i, V v, unsigned mask, unsigned) {
    return fetch_add_sr(A, i, v, mask);
  }
};

struct VoteReduce {
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ void add(T* A, I i, V v, unsigned mask,
                                             unsigned draw) {
    add_vr(A, i, v, mask, draw);
  }
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ T fetch_add(T* A, I i, V v, unsigned mask,
                                                unsigned draw) {
    return fetch_add_vr(A, i, v, mask, draw);
  }
};

struct Peers {
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ void add(T* A, I i, V v, unsigned mask, unsigned) {
    add_peers(A, i, v, mask);
  }
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ T fetch_add(T* A, I i, V v, unsigned mask, unsigned) {
    return fetch_add_peers(A, i, v, mask);
  }
};

struct Match {
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ void add(T* A, I i, V v, unsigned mask, unsigned) {
    add_match(A, i, v, mask);
  }
  template <typename T, typename I, typename V>
  static __device__ __forceinline__ T fetch_add(T* A, I i, V v, unsigned mask, unsigned) {
    return fetch_add_match(A, i, v, mask);
  }
};

// Loaded reads each update's value from memory.
template <typename T>
struct Loaded {
  const T* values;
  __device__ __forceinline__ T operator[](size_t u) const { return __ldg(values + u); }
};

// Ones adds the constant 1 and reads nothing.
struct Ones {
  __device__ __forceinline__ One operator[](size_t) const { return {}; }
};

// for_each_update calls body(u, mask, draw) for update u on lane u % 32 of its
// warp, in a grid-stride loop. Blocks are one-dimensional with whole warps. mask
// names the lanes that have an update, draw is a number that is new for each warp
// and turn. The stream's last, partial warp stands apart, since a constant mask
// saves a test of it before each warp primitive of the loop.
template <typename Body>
__device__ __forceinline__ void for_each_update(size_t updates, Body body) {
  const unsigned lane = threadIdx.x % 32;
  const size_t step = size_t(gridDim.x) * blockDim.x;
  const auto draw = [](size_t base) { return (unsigned(base / 32) * 2654435769u) >> 27; };
  size_t base = size_t(blockIdx.x) * blockDim.x + threadIdx.x - lane;
  for (; base + 32 <= updates; base += step) {
    body(base + lane, full_warp, draw(base));
  }
  if (base + lane < updates) {
    body(base + lane, (1u << (updates - base)) - 1u, draw(base));
  }
}

// global_update applies every update to A: A[index[u]] += values[u]. Any grid is
// right; a grid that fills the device once, 2,048 threads an SM, is enough.
template <typename Form, typename T, typename Values>
__device__ __forceinline__ void global_update(T* A, const uint32_t* __restrict__ index,
                                              Values values, size_t updates) {
  for_each_update(updates, [&](size_t u, unsigned mask, unsigned draw) {
    Form::add(A, __ldg(index + u), values[u], mask, draw);
  });
}

// global_fetch_update is global_update that writes what update u found to old[u].
template <typename Form, typename T, typename Values>
__device__ __forceinline__ void global_fetch_update(T* A,
                                                    const uint32_t* __restrict__ index,
                                                    Values values, T* old,
                                                    size_t updates) {
  for_each_update(updates, [&](size_t u, unsigned mask, unsigned draw) {
    old[u] = Form::fetch_add(A, __ldg(index + u), values[u], mask, draw);
  });
}

}  // namespace atomtune
