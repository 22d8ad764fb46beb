// Sums and old values of a call on a GPU, with targets of long long and indices of int32_t.
#include "gpu_dispatch_sums.cuh"

void test_sums_i64() { dispatched::test_sums<long long, int32_t>(15); }
