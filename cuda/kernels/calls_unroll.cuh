// The kernels of calls with several updates in flight per thread, for one type of target
// each: those of calls.cuh and calls_hot.cuh, with their arguments, and a suffix that says
// how many.
#pragma once

#include "../atomtune_unroll.cuh"
#include "calls_hot.cuh"

// CALLS_UNROLL_GLOBAL: a form that adds to global memory directly.
#define CALLS_UNROLL_GLOBAL(form, Form, type, T, unroll, suffix)                      \
  extern "C" __global__ void update_##form##_##type##_loaded##suffix(                 \
      T* A, const uint32_t* index, const T* values, uint64_t updates) {               \
    atomtune::global_update<Form, unroll>(A, index, atomtune::Loaded<T>{values},      \
                                          updates);                                   \
  }                                                                                   \
  extern "C" __global__ void update_##form##_##type##_one##suffix(                    \
      T* A, const uint32_t* index, uint64_t updates) {                                \
    atomtune::global_update<Form, unroll>(A, index, atomtune::Ones{}, updates);       \
  }

// CALLS_UNROLL_PRIVATE: a form on private copies.
#define CALLS_UNROLL_PRIVATE(form, Form, type, T, unroll, suffix)                     \
  extern "C" __global__ void __launch_bounds__(1024)                                  \
      update_private_##form##_##type##_loaded##suffix(                                \
          T* A, const uint32_t* index, const T* values, uint64_t updates,             \
          uint32_t bins, uint32_t copies, uint32_t pad, uint32_t by_block) {          \
    atomtune::private_update<Form, unroll>(                                           \
        A, index, atomtune::Loaded<T>{values}, updates,                               \
        atomtune::Copies{bins, copies, pad, by_block != 0}, calls::shared_words<T>()); \
  }                                                                                   \
  extern "C" __global__ void __launch_bounds__(1024)                                  \
      update_private_##form##_##type##_one##suffix(                                   \
          T* A, const uint32_t* index, uint64_t updates, uint32_t bins,               \
          uint32_t copies, uint32_t pad, uint32_t by_block) {                         \
    atomtune::private_update<Form, unroll>(                                           \
        A, index, atomtune::Ones{}, updates,                                          \
        atomtune::Copies{bins, copies, pad, by_block != 0}, calls::shared_words<T>()); \
  }

// CALLS_UNROLL: every kernel of a type that any device runs.
#define CALLS_UNROLL(type, T, unroll, suffix)                                         \
  CALLS_UNROLL_GLOBAL(naive, atomtune::Naive, type, T, unroll, suffix)                \
  CALLS_UNROLL_PRIVATE(naive, atomtune::Naive, type, T, unroll, suffix)               \
  CALLS_UNROLL_PRIVATE(sr, atomtune::ScanReduce, type, T, unroll, suffix)             \
  CALLS_UPDATE_HOT(naive, atomtune::Naive, type, T, unroll, suffix)
