// Whole calls with a table of hot targets, for f64 targets.
#include "calls_hot.cuh"

CALLS_HOT(f64, double)
