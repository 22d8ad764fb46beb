// Whole calls with private copies of a range of the targets, for f32 targets.
#include "calls_ranges.cuh"

CALLS_RANGES(f32, float)
