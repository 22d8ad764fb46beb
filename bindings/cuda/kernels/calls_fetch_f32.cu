// Whole calls that return old values from private copies and from a table of hot targets,
// for f32 targets.
#include "calls_fetch.cuh"

CALLS_FETCH(f32, float)
