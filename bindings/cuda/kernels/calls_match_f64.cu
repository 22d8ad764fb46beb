// Whole calls with the match instruction, for f64 targets.
#include "calls.cuh"

CALLS_MATCH(f64, double)
