// Whole calls with four updates in flight per thread, for f32 targets.
#include "calls_unroll.cuh"

CALLS_UNROLL(f32, float, 4, _x4)
