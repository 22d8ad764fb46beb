// Sums of uint32_t on a GPU that are the same bits on every run.
#include "gpu_dispatch_same_bits.cuh"

void test_same_bits_u32() { dispatched::test_same_bits<uint32_t>(43); }
