// Whole calls with vr from 8 lanes on, for u64 and, as sums in two's complement have the same bits, i64 targets.
#include "calls_vote.cuh"

CALLS_VOTE(u64, unsigned long long)
