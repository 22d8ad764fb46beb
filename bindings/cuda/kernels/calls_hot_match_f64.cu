// Whole calls with the match instruction in front of a table of hot targets, for f64 targets.
#include "calls_hot.cuh"

CALLS_UPDATE_HOT(match, atomtune::Match, f64, double, 1, )
