// Whole calls with vr from 8 lanes on, for u32 and, as sums in two's complement have the same bits, i32 targets.
#include "calls_vote.cuh"

CALLS_VOTE(u32, uint32_t)
