// Whole calls for f64 targets.
#include "calls.cuh"
#include "calls_check.cuh"

CALLS_ALL(f64, double)
CALLS_CHECK(f64, double)
