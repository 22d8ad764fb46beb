// Whole calls with the match instruction and four updates in flight per thread, for u32 targets.
#include "calls.cuh"

CALLS_UPDATE_GLOBAL(match, atomtune::Match, u32, uint32_t, 4, _x4)
