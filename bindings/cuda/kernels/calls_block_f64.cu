// Whole calls with sr of whole blocks, for f64 targets.
#include "calls_block.cuh"

CALLS_BLOCK(f64, double)
