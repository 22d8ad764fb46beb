// Whole calls for u64 and, as sums in two's complement have the same bits, i64 targets.
#include "calls.cuh"
#include "calls_check.cuh"

CALLS_ALL(u64, unsigned long long)
CALLS_CHECK(u64, unsigned long long)
