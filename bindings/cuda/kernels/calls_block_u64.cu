// Whole calls with sr of whole blocks, for u64 and, as sums in two's complement have the same bits, i64 targets.
#include "calls_block.cuh"

CALLS_BLOCK(u64, unsigned long long)
