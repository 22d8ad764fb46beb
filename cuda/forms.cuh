// The forms of atomtune.cuh as types, so that one kernel serves them all, and the
// two kinds of value.
#pragma once

#include "atomtune.cuh"

struct Naive {
  template <typename T, typename V>
  static __device__ __forceinline__ void add(T* A, uint32_t i, V v, unsigned, unsigned) {
    atomtune::add_naive(A, i, v);
  }
};

struct ScanReduce {
  template <typename T, typename V>
  static __device__ __forceinline__ void add(T* A, uint32_t i, V v, unsigned mask,
                                             unsigned) {
    atomtune::add_sr(A, i, v, mask);
  }
};

struct VoteReduce {
  template <typename T, typename V>
  static __device__ __forceinline__ void add(T* A, uint32_t i, V v, unsigned mask,
                                             unsigned draw) {
    atomtune::add_vr(A, i, v, mask, draw);
  }
};

struct Peers {
  template <typename T, typename V>
  static __device__ __forceinline__ void add(T* A, uint32_t i, V v, unsigned mask,
                                             unsigned) {
    atomtune::add_peers(A, i, v, mask);
  }
};

struct Match {
  template <typename T, typename V>
  static __device__ __forceinline__ void add(T* A, uint32_t i, V v, unsigned mask,
                                             unsigned) {
    atomtune::add_match(A, i, v, mask);
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
  __device__ __forceinline__ atomtune::One operator[](size_t) const { return {}; }
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
    body(base + lane, atomtune::full_warp, draw(base));
  }
  if (base + lane < updates) {
    body(base + lane, (1u << (updates - base)) - 1u, draw(base));
  }
}
