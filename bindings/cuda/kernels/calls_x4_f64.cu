// Whole calls with four updates in flight per thread, for f64 targets.
#include "calls_unroll.cuh"

CALLS_UNROLL(f64, double, 4, _x4)
