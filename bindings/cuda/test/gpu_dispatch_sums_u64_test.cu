// Sums and old values of a call on a GPU, with targets of unsigned long long and indices of
// uint64_t.
#include "gpu_dispatch_sums.cuh"

void test_sums_u64() { dispatched::test_sums<unsigned long long, uint64_t>(14); }
