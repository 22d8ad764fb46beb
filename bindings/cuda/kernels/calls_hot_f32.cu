// Whole calls with a table of hot targets, for f32 targets.
#include "calls_hot.cuh"

CALLS_HOT(f32, float)
