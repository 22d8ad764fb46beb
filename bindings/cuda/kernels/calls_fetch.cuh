// The kernels of calls with old values from private copies and from a table of hot
// targets, for one type of target each; arguments as in calls.cuh and calls_hot.cuh. old[u]
// becomes what update u found.
#pragma once

#include "../atomtune_private_fetch.cuh"
#include "calls.cuh"

// CALLS_FETCH: the kernels of a type.
#define CALLS_FETCH(type, T)                                                          \
  extern "C" __global__ void __launch_bounds__(1024)                                  \
      update_private_naive_old_##type##_loaded(                                       \
          T* A, T* old, const uint32_t* index, const T* values, uint64_t updates,     \
          uint32_t bins, uint32_t copies, uint32_t pad, uint32_t by_block) {          \
    atomtune::private_fetch_update(                                                   \
        A, index, atomtune::Loaded<T>{values}, old, updates,                          \
        atomtune::Copies{bins, copies, pad, by_block != 0}, calls::shared_words<T>());\
  }                                                                                   \
  extern "C" __global__ void __launch_bounds__(1024)                                  \
      update_hot_naive_old_##type##_loaded(                                           \
          T* A, T* old, const uint32_t* index, const T* values, uint64_t updates,     \
          const uint32_t* tags, uint32_t slots, uint32_t copies) {                    \
    atomtune::hot_fetch_update(A, index, atomtune::Loaded<T>{values}, old, updates,   \
                               atomtune::HotTable{slots, copies, tags},               \
                               calls::shared_bytes);                                  \
  }
