// The kernels of calls with private copies of a range of the targets, for one type of
// target each; arguments as in calls.cuh. bins: all targets. ranges: how many, at most
// the grid's blocks. shared memory is RangedCopies::words words of the targets' type.
#pragma once

#include "../atomtune_ranges.cuh"
#include "calls.cuh"

// CALLS_UPDATE_RANGES: a form on the copies.
#define CALLS_UPDATE_RANGES(form, Form, type, T)                                      \
  extern "C" __global__ void __launch_bounds__(1024)                                  \
      update_private_ranges_##form##_##type##_loaded(                                 \
          T* A, const uint32_t* index, const T* values, uint64_t updates,             \
          uint32_t bins, uint32_t copies, uint32_t pad, uint32_t by_block,            \
          uint32_t ranges) {                                                          \
    const atomtune::Copies all{bins, copies, pad, by_block != 0};                     \
    atomtune::private_update<Form>(A, index, atomtune::Loaded<T>{values}, updates,    \
                                   atomtune::RangedCopies{all, ranges},               \
                                   calls::shared_words<T>());                         \
  }                                                                                   \
  extern "C" __global__ void __launch_bounds__(1024)                                  \
      update_private_ranges_##form##_##type##_one(                                    \
          T* A, const uint32_t* index, uint64_t updates, uint32_t bins,               \
          uint32_t copies, uint32_t pad, uint32_t by_block, uint32_t ranges) {        \
    const atomtune::Copies all{bins, copies, pad, by_block != 0};                     \
    atomtune::private_update<Form>(A, index, atomtune::Ones{}, updates,               \
                                   atomtune::RangedCopies{all, ranges},               \
                                   calls::shared_words<T>());                         \
  }

// CALLS_RANGES: every kernel of a type that any device runs.
#define CALLS_RANGES(type, T)                                                         \
  CALLS_UPDATE_RANGES(naive, atomtune::Naive, type, T)                                \
  CALLS_UPDATE_RANGES(sr, atomtune::ScanReduce, type, T)                              \
  CALLS_UPDATE_RANGES(vr, atomtune::VoteReduce, type, T)
