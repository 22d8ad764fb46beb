// scatter_max on a GPU.
#include "gpu_dispatch_extremes.cuh"

void test_greatest() { dispatched::test_extremes<dispatched::Raising>(22); }
