// Whole calls with the match instruction, for f32 targets.
#include "calls.cuh"

CALLS_MATCH(f32, float)
