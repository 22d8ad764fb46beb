// Sums and old values of a call on a GPU, with targets of uint32_t and indices of uint32_t.
#include "gpu_dispatch_sums.cuh"

void test_sums_u32() { dispatched::test_sums<uint32_t, uint32_t>(11); }
