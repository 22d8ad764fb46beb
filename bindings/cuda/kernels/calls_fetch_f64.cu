// Whole calls that return old values from private copies and from a table of hot targets,
// for f64 targets.
#include "calls_fetch.cuh"

CALLS_FETCH(f64, double)
