// Whole calls with the match instruction, on private copies of a range, for u32 targets.
#include "calls_ranges.cuh"

CALLS_UPDATE_RANGES(match, atomtune::Match, u32, uint32_t)
