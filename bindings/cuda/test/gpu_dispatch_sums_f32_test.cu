// Sums and old values of a call on a GPU, with targets of float and indices of int64_t.
#include "gpu_dispatch_sums.cuh"

void test_sums_f32() { dispatched::test_sums<float, int64_t>(13); }
