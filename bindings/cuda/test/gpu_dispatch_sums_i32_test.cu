// Sums and old values of a call on a GPU, with targets of int32_t and indices of uint64_t.
#include "gpu_dispatch_sums.cuh"

void test_sums_i32() { dispatched::test_sums<int32_t, uint64_t>(12); }
