// Whole calls with a table of hot targets, for u32 targets.
#include "calls_hot.cuh"

CALLS_HOT(u32, uint32_t)
