// Whole calls with the match instruction, for u32 and, as sums in two's complement have the same bits, i32 targets.
#include "calls.cuh"

CALLS_MATCH(u32, uint32_t)
