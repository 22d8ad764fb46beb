// Whole calls with the match instruction, on private copies of a range, for f32 targets.
#include "calls_ranges.cuh"

CALLS_UPDATE_RANGES(match, atomtune::Match, f32, float)
