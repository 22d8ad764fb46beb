// scatter_min_rows on a GPU, of integers of 64 bits and of numbers of 16, which are values of floats
// too; the library has no such call.
#include "gpu_rows.cuh"

void test_rows_least_others() {
  rowtest::check_types<rowtest::Lowering, int32_t, int64_t, uint64_t, __half, __nv_bfloat16>();
#ifndef THROUGH_LIBRARY
  for (const uint32_t width : {1u, 6u, 40u, 130u}) {
    rowtest::check<rowtest::Lowering, float, __nv_bfloat16, int32_t>(rowtest::skewed(1501, 50, true), 50,
                                                                     {width, 0, 1501});
  }
#endif
}
