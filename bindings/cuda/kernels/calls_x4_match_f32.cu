// Whole calls with the match instruction and four updates in flight per thread, for f32 targets.
#include "calls.cuh"

CALLS_UPDATE_GLOBAL(match, atomtune::Match, f32, float, 4, _x4)
