// Whole calls with the match instruction, for u64 and, as sums in two's complement have the same bits, i64 targets.
#include "calls.cuh"

CALLS_MATCH(u64, unsigned long long)
