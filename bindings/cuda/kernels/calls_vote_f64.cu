// Whole calls with vr from 8 lanes on, for f64 targets.
#include "calls_vote.cuh"

CALLS_VOTE(f64, double)
