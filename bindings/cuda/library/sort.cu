// The sort that all calls of rows share.
#include "atomtune_rows_sort.cuh"

template cudaError_t atomtune::rows::sort_updates(void*, size_t&, atomtune::RowIndex*,
                                                  const uint32_t**, size_t, uint32_t, unsigned,
                                                  cudaStream_t);
