// Whole calls with the match instruction and four updates in flight per thread, for u64 targets.
#include "calls.cuh"

CALLS_UPDATE_GLOBAL(match, atomtune::Match, u64, unsigned long long, 4, _x4)
