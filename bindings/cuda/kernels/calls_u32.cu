// Whole calls for u32 and, as sums in two's complement have the same bits, i32 targets.
#include "calls.cuh"
#include "calls_check.cuh"

CALLS_ALL(u32, uint32_t)
CALLS_CHECK(u32, uint32_t)
