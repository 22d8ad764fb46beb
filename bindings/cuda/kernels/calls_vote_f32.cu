// Whole calls with vr from 8 lanes on, for f32 targets.
#include "calls_vote.cuh"

CALLS_VOTE(f32, float)
