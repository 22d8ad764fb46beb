// The kernels of whole calls, for one type of target each: macros that give the
// templates of atomtune.cuh plain names and plain arguments, so that they can be
// found and launched through the driver's interface.
//
// Arguments. A: the targets. index[u] and values[u]: target and value of update u;
// kernels with one in their name add the constant 1 and have no values. updates: how
// many there are. bins, copies, pad, by_block: atomtune::Copies. shared memory is
// given at launch: copies.words() words of the targets' type, of threadprivate
// bins * threads. Launch one-dimensional blocks of whole warps.
#pragma once

#include "../atomtune_private.cuh"
#include "../atomtune_stream.cuh"

namespace calls {

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <typename T>
__device__ __forceinline__ T* shared_words() {
  return reinterpret_cast<T*>(shared_bytes);
}

}  // namespace calls

// CALLS_UPDATE_GLOBAL: a form that adds to global memory directly, with unroll updates in
// flight per thread. suffix ends the kernels' names.
#define CALLS_UPDATE_GLOBAL(form, Form, type, T, unroll, suffix)                      \
  extern "C" __global__ void update_##form##_##type##_loaded##suffix(                 \
      T* A, const uint32_t* index, const T* values, uint64_t updates) {               \
    atomtune::global_update<Form, unroll>(A, index, atomtune::Loaded<T>{values},      \
                                          updates);                                   \
  }                                                                                   \
  extern "C" __global__ void update_##form##_##type##_one##suffix(                    \
      T* A, const uint32_t* index, uint64_t updates) {                                \
    atomtune::global_update<Form, unroll>(A, index, atomtune::Ones{}, updates);       \
  }

// CALLS_UPDATE_OLD: a form that writes to old[u] what update u found.
#define CALLS_UPDATE_OLD(form, Form, type, T)                                         \
  extern "C" __global__ void update_##form##_old_##type##_loaded(                     \
      T* A, T* old, const uint32_t* index, const T* values, uint64_t updates) {       \
    atomtune::global_fetch_update<Form>(A, index, atomtune::Loaded<T>{values}, old,   \
                                        updates);                                     \
  }

// CALLS_UPDATE_PRIVATE: a form on private copies. The bound on threads keeps the
// registers of the largest block within those of an SM.
#define CALLS_UPDATE_PRIVATE(form, Form, type, T, unroll, suffix)                     \
  extern "C" __global__ void __launch_bounds__(1024)                                  \
      update_private_##form##_##type##_loaded##suffix(                                \
          T* A, const uint32_t* index, const T* values, uint64_t updates,             \
          uint32_t bins, uint32_t copies, uint32_t pad, uint32_t by_block) {          \
    atomtune::private_update<Form, unroll>(                                           \
        A, index, atomtune::Loaded<T>{values}, updates,                               \
        atomtune::Copies{bins, copies, pad, by_block != 0}, calls::shared_words<T>());\
  }                                                                                   \
  extern "C" __global__ void __launch_bounds__(1024)                                  \
      update_private_##form##_##type##_one##suffix(                                   \
          T* A, const uint32_t* index, uint64_t updates, uint32_t bins,               \
          uint32_t copies, uint32_t pad, uint32_t by_block) {                         \
    atomtune::private_update<Form, unroll>(                                           \
        A, index, atomtune::Ones{}, updates,                                          \
        atomtune::Copies{bins, copies, pad, by_block != 0}, calls::shared_words<T>());\
  }

// CALLS_UPDATE_THREADPRIVATE: partial has bins * blocks words, and sum_partials adds
// them to the targets.
#define CALLS_UPDATE_THREADPRIVATE(type, T)                                           \
  extern "C" __global__ void update_threadprivate_##type##_loaded(                    \
      T* partial, const uint32_t* index, const T* values, uint64_t updates,           \
      uint32_t bins) {                                                                \
    atomtune::threadprivate_update(partial, index, atomtune::Loaded<T>{values},       \
                                   updates, bins, calls::shared_words<T>());          \
  }                                                                                   \
  extern "C" __global__ void update_threadprivate_##type##_one(                       \
      T* partial, const uint32_t* index, uint64_t updates, uint32_t bins) {           \
    atomtune::threadprivate_update(partial, index, atomtune::Ones{}, updates, bins,   \
                                   calls::shared_words<T>());                         \
  }                                                                                   \
  extern "C" __global__ void sum_partials_##type(T* A, const T* partial,              \
                                                 uint32_t bins, uint32_t blocks) {    \
    atomtune::sum_partials(A, partial, bins, blocks);                                 \
  }

// CALLS_ALL: every kernel of a type that any device runs.
#define CALLS_ALL(type, T)                                                            \
  CALLS_UPDATE_GLOBAL(naive, atomtune::Naive, type, T, 1, )                           \
  CALLS_UPDATE_GLOBAL(sr, atomtune::ScanReduce, type, T, 1, )                         \
  CALLS_UPDATE_GLOBAL(vr, atomtune::VoteReduce, type, T, 1, )                         \
  CALLS_UPDATE_GLOBAL(peers, atomtune::Peers, type, T, 1, )                           \
  CALLS_UPDATE_OLD(naive, atomtune::Naive, type, T)                                   \
  CALLS_UPDATE_OLD(sr, atomtune::ScanReduce, type, T)                                 \
  CALLS_UPDATE_OLD(vr, atomtune::VoteReduce, type, T)                                 \
  CALLS_UPDATE_OLD(peers, atomtune::Peers, type, T)                                   \
  CALLS_UPDATE_PRIVATE(naive, atomtune::Naive, type, T, 1, )                          \
  CALLS_UPDATE_PRIVATE(sr, atomtune::ScanReduce, type, T, 1, )                        \
  CALLS_UPDATE_PRIVATE(vr, atomtune::VoteReduce, type, T, 1, )                        \
  CALLS_UPDATE_THREADPRIVATE(type, T)

// CALLS_MATCH: the kernels with the match instruction, for compute capability 7.0.
#define CALLS_MATCH(type, T)                                                          \
  CALLS_UPDATE_GLOBAL(match, atomtune::Match, type, T, 1, )                           \
  CALLS_UPDATE_OLD(match, atomtune::Match, type, T)                                   \
  CALLS_UPDATE_PRIVATE(match, atomtune::Match, type, T, 1, )
