// scatter_min on a GPU.
#include "gpu_dispatch_extremes.cuh"

void test_least() { dispatched::test_extremes<dispatched::Lowering>(21); }
