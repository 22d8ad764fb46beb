// Whole calls for f32 targets.
#include "calls.cuh"
#include "calls_check.cuh"

CALLS_ALL(f32, float)
CALLS_CHECK(f32, float)
