// The kernels of calls with several updates in flight per thread, for one type of target
// each: those of calls.cuh and calls_hot.cuh, with their arguments, and a suffix that says
// how many.
#pragma once

#include "calls_hot.cuh"

// CALLS_UNROLL: every kernel of a type that any device runs.
#define CALLS_UNROLL(type, T, unroll, suffix)                                         \
  CALLS_UPDATE_GLOBAL(naive, atomtune::Naive, type, T, unroll, suffix)                \
  CALLS_UPDATE_PRIVATE(naive, atomtune::Naive, type, T, unroll, suffix)               \
  CALLS_UPDATE_PRIVATE(sr, atomtune::ScanReduce, type, T, unroll, suffix)             \
  CALLS_UPDATE_HOT(naive, atomtune::Naive, type, T, unroll, suffix)
