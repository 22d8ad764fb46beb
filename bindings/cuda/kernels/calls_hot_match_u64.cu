// Whole calls with the match instruction in front of a table of hot targets, for u64 targets.
#include "calls_hot.cuh"

CALLS_UPDATE_HOT(match, atomtune::Match, u64, unsigned long long, 1, )
