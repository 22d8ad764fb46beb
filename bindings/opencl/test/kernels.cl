// Kernels of the tests: work-items walk through a stream of updates with a stride
// of all work-items, so that each makes its updates in the order of the stream.
#include "atomtune.cl"

// A kernel of one operation on global memory and one on local memory, which
// starts from the group's targets and writes them back. old takes the values
// that the updates returned.
#define KERNELS_OF(OP, TYPE, REAL, ...)                                                        \
  __kernel void OP##_global_##TYPE(volatile __global REAL *targets, __global const uint *index, \
                                   __global const REAL *a, __global const REAL *b,             \
                                   __global REAL *old, const uint updates, const uint bins) {  \
    for (uint i = get_global_id(0); i < updates; i += get_global_size(0)) {                    \
      old[i] = atomtune_##OP##_global_##TYPE(targets + index[i], __VA_ARGS__);                 \
    }                                                                                          \
  }                                                                                            \
  __kernel void OP##_local_##TYPE(__global REAL *targets, __global const uint *index,          \
                                  __global const REAL *a, __global const REAL *b,              \
                                  __global REAL *old, const uint updates, const uint bins,     \
                                  volatile __local REAL *copy) {                               \
    __global REAL *own = targets + get_group_id(0) * bins;                                     \
    for (uint k = get_local_id(0); k < bins; k += get_local_size(0)) copy[k] = own[k];         \
    barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    for (uint i = get_global_id(0); i < updates; i += get_global_size(0)) {                    \
      old[i] = atomtune_##OP##_local_##TYPE(copy + index[i], __VA_ARGS__);                     \
    }                                                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    for (uint k = get_local_id(0); k < bins; k += get_local_size(0)) own[k] = copy[k];         \
  }

#define KERNELS(TYPE, REAL)             \
  KERNELS_OF(add, TYPE, REAL, a[i])       \
  KERNELS_OF(mul, TYPE, REAL, a[i])       \
  KERNELS_OF(mad, TYPE, REAL, a[i], b[i]) \
  KERNELS_OF(div, TYPE, REAL, a[i])       \
  KERNELS_OF(min, TYPE, REAL, a[i])       \
  KERNELS_OF(max, TYPE, REAL, a[i])

KERNELS(f32, float)
#ifdef ATOMTUNE_HAS_F64
KERNELS(f64, double)
#endif

// What the float atomics must not be: a read, some time, and a write.
__kernel void plain_global_f32(volatile __global float *targets, __global const uint *index,
                               __global const float *a, __global const float *b,
                               __global float *old, const uint updates, const uint bins) {
  for (uint i = get_global_id(0); i < updates; i += get_global_size(0)) {
    old[i] = targets[index[i]];
    targets[index[i]] = old[i] + a[i];
  }
}

// Coordinated operations. Parts that are not present, of 1 for the coordinator and 2 for
// the requesting groups, leave at once and say nothing.
#define COORDINATED(NAME, CALL, ...)                                                              \
  __kernel void NAME(volatile __global uint *targets, __global const uint *index,                 \
                     __global const uint *value, __global const uint *expected,                   \
                     __global uint *old, volatile __global uint *arrays, __local uint *words,     \
                     const uint updates, const uint poll_limit, const uint present) {             \
    const atomtune_coordination c = atomtune_coordination_of(targets, arrays, poll_limit);        \
    if (atomtune_is_coordinator()) {                                                              \
      if ((present & 1) != 0) atomtune_coordinate(&c, words);                                     \
      return;                                                                                     \
    }                                                                                             \
    if ((present & 2) == 0) return;                                                               \
    const uint requesters = atomtune_requesters();                                                \
    const uint turns = (updates + requesters - 1) / requesters;                                   \
    for (uint turn = 0; turn < turns; ++turn) {                                                   \
      const uint own = turn * requesters + atomtune_requester();                                  \
      const int takes_part = own < updates;                                                       \
      const uint i = takes_part ? own : 0;                                                        \
      const uint before = CALL(&c, words, takes_part, __VA_ARGS__);                               \
      if (takes_part) old[i] = before;                                                            \
    }                                                                                             \
    atomtune_finish(&c);                                                                          \
  }

COORDINATED(coordinated_add, atomtune_coordinated_add, index[i], value[i])
COORDINATED(coordinated_exchange, atomtune_coordinated_exchange, index[i], value[i])
COORDINATED(coordinated_compare_exchange, atomtune_coordinated_compare_exchange, index[i],
            expected[i], value[i])
// The operations take turns.
COORDINATED(coordinated_mixed, atomtune_coordinated, turn % 3, index[i], expected[i], value[i])
