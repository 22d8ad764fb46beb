// Whole calls with private copies of a range of the targets, for u32 targets.
#include "calls_ranges.cuh"

CALLS_RANGES(u32, uint32_t)
