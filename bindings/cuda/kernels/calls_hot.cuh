// The kernels of calls with a table of hot targets, for one type of target each, and of
// the sample that fills the table; arguments as in calls.cuh.
//
// tags: slots tags in global memory, atomtune::HotTable. copies: those of a block. shared
// memory is HotTable::bytes. sample_hot takes samples, a power of two, is launched with
// HotSample::blocks blocks of 1,024 threads, and HotSample::bytes of shared memory.
#pragma once

#include "../atomtune_hot.cuh"
#include "calls.cuh"

// CALLS_UPDATE_HOT: a form in front of the table, with unroll updates in flight. suffix
// ends the kernels' names.
#define CALLS_UPDATE_HOT(form, Form, type, T, unroll, suffix)                         \
  extern "C" __global__ void __launch_bounds__(1024)                                  \
      update_hot_##form##_##type##_loaded##suffix(                                    \
          T* A, const uint32_t* index, const T* values, uint64_t updates,             \
          const uint32_t* tags, uint32_t slots, uint32_t copies) {                    \
    atomtune::hot_update<Form, unroll>(A, index, atomtune::Loaded<T>{values}, updates, \
                                       atomtune::HotTable{slots, copies, tags},       \
                                       calls::shared_bytes);                          \
  }                                                                                   \
  extern "C" __global__ void __launch_bounds__(1024)                                  \
      update_hot_##form##_##type##_one##suffix(                                       \
          T* A, const uint32_t* index, uint64_t updates, const uint32_t* tags,        \
          uint32_t slots, uint32_t copies) {                                          \
    atomtune::hot_update<Form, unroll>(A, index, atomtune::Ones{}, updates,           \
                                       atomtune::HotTable{slots, copies, tags},       \
                                       calls::shared_bytes);                          \
  }

// CALLS_HOT: every kernel of a type that any device runs.
#define CALLS_HOT(type, T)                                                            \
  CALLS_UPDATE_HOT(naive, atomtune::Naive, type, T, 1, )                              \
  CALLS_UPDATE_HOT(sr, atomtune::ScanReduce, type, T, 1, )                            \
  CALLS_UPDATE_HOT(vr, atomtune::VoteReduce, type, T, 1, )                            \
  CALLS_UPDATE_HOT(peers, atomtune::Peers, type, T, 1, )
