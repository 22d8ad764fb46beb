// scatter_min_rows on a GPU, of floats and integers of 32 bits.
#include "gpu_rows.cuh"

void test_rows_least() {
  rowtest::check_types<rowtest::Lowering, int64_t, float, double, int32_t, uint32_t>();
}
