// Whole calls with four updates in flight per thread, for u32 targets.
#include "calls_unroll.cuh"

CALLS_UNROLL(u32, uint32_t, 4, _x4)
