// Whole calls with the match instruction and four updates in flight per thread, for f64 targets.
#include "calls.cuh"

CALLS_UPDATE_GLOBAL(match, atomtune::Match, f64, double, 4, _x4)
