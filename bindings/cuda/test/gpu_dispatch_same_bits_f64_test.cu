// Sums of double on a GPU that are the same bits on every run.
#include "gpu_dispatch_same_bits.cuh"

void test_same_bits_f64() { dispatched::test_same_bits<double>(42); }
