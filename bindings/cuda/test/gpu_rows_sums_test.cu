// Tests on a GPU of sums of rows of doubles and integers.
#include "gpu_rows.cuh"

void test_rows_sums() {
  rowtest::check_types<rowtest::Adding, int64_t, double>();
  rowtest::check_types<rowtest::Adding, int32_t, int32_t, uint32_t>();
  rowtest::check_types<rowtest::Adding, uint64_t, int64_t, uint64_t>();
}
