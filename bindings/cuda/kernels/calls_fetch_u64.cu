// Whole calls that return old values from private copies and from a table of hot targets,
// for u64 targets.
#include "calls_fetch.cuh"

CALLS_FETCH(u64, unsigned long long)
