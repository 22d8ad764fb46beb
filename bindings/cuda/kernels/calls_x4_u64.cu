// Whole calls with four updates in flight per thread, for u64 targets.
#include "calls_unroll.cuh"

CALLS_UNROLL(u64, unsigned long long, 4, _x4)
