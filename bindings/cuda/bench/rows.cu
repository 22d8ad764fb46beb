// The library of rows.py: updates of rows of one kind, BENCH_T targets and BENCH_S values.
#include <cuda_bf16.h>

#include "../atomtune_rows_update.cuh"

// rows_add makes a call. Without a workspace it returns the bytes that one has; a failure is
// the negative of its cudaError_t.
extern "C" long long rows_add(int form, unsigned slots, void* workspace, size_t bytes,
                              BENCH_T* out, unsigned long long rows, const long long* index,
                              const BENCH_S* values, unsigned long long updates,
                              unsigned width, cudaStream_t stream) {
  atomtune::RowOptions options;
  options.form = static_cast<atomtune::RowForm>(form);
  options.slots = slots;
  const bool asks = workspace == nullptr;
  const cudaError_t status = atomtune::scatter_add_rows(workspace, bytes, out, rows, index,
                                                        values, updates, width, stream, options);
  if (status != cudaSuccess) return -static_cast<long long>(status);
  return asks ? static_cast<long long>(bytes) : 0;
}
