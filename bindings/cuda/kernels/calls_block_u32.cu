// Whole calls with sr of whole blocks, for u32 and, as sums in two's complement have the same bits, i32 targets.
#include "calls_block.cuh"

CALLS_BLOCK(u32, uint32_t)
