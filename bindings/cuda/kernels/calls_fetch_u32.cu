// Whole calls that return old values from private copies and from a table of hot targets,
// for u32 targets.
#include "calls_fetch.cuh"

CALLS_FETCH(u32, uint32_t)
