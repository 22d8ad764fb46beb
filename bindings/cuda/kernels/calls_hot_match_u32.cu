// Whole calls with the match instruction in front of a table of hot targets, for u32 targets.
#include "calls_hot.cuh"

CALLS_UPDATE_HOT(match, atomtune::Match, u32, uint32_t, 1, )
