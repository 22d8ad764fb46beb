// Whole calls with sr of whole blocks, for one type of target each; arguments as in calls.cuh.
// shared memory is RunRecords::bytes.
#pragma once

#include "../atomtune_block.cuh"
#include "calls.cuh"

// CALLS_BLOCK: the kernels of a type.
#define CALLS_BLOCK(type, T)                                                          \
  extern "C" __global__ void __launch_bounds__(1024) update_sr_block_##type##_loaded( \
      T* A, const uint32_t* index, const T* values, uint64_t updates) {               \
    atomtune::sr_block_update(A, index, atomtune::Loaded<T>{values}, updates,         \
                              calls::shared_bytes);                                   \
  }                                                                                   \
  extern "C" __global__ void __launch_bounds__(1024) update_sr_block_##type##_one(    \
      T* A, const uint32_t* index, uint64_t updates) {                                \
    atomtune::sr_block_update(A, index, atomtune::Ones{}, updates,                    \
                              calls::shared_bytes);                                   \
  }
