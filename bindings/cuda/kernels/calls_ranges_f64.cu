// Whole calls with private copies of a range of the targets, for f64 targets.
#include "calls_ranges.cuh"

CALLS_RANGES(f64, double)
