// Sums and old values of a call on a GPU, with targets of double and indices of int32_t.
#include "gpu_dispatch_sums.cuh"

void test_sums_f64() { dispatched::test_sums<double, int32_t>(16); }
