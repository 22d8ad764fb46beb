// scatter_max_rows on a GPU, of integers of 64 bits and of numbers of 16.
#include "gpu_rows.cuh"

void test_rows_greatest_others() {
  rowtest::check_types<rowtest::Raising, int32_t, int64_t, uint64_t, __half, __nv_bfloat16>();
}
