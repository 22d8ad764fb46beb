// Whole calls with private copies of a range of the targets, for u64 targets.
#include "calls_ranges.cuh"

CALLS_RANGES(u64, unsigned long long)
