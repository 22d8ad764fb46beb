// Whole calls with sr of whole blocks, for f32 targets.
#include "calls_block.cuh"

CALLS_BLOCK(f32, float)
