// Calls for updates of rows, complete (atomtune_rows_call.cuh). CUB's sort takes long to compile. A
// program of several files may include atomtune_rows_call.cuh in them, and in one of them
// atomtune_rows_sort.cuh, with sort_updates<uint32_t> instantiated.
#pragma once

#include "atomtune_rows_call.cuh"
#include "atomtune_rows_sort.cuh"
