// Whole calls with a table of hot targets, for u64 targets.
#include "calls_hot.cuh"

CALLS_HOT(u64, unsigned long long)
