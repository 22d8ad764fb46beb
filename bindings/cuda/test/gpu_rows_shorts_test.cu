// Tests on a GPU of sums of rows of 16 bits, at odd addresses too.
#include "gpu_rows.cuh"

namespace {

using namespace rowtest;

template <typename N, typename I>
void check_shorts() {
  check_types<Adding, I, N>();
  const std::vector<uint32_t> stream = skewed(3001, 4000, false);
  for (const uint32_t width : {1u, 2u, 3u, 8u, 40u, 256u}) {
    check<Adding, N, N, I>(stream, 4000, {width, 1, 3001});
  }
}

}  // namespace

void test_rows_shorts() {
  check_shorts<__half, uint32_t>();
  check_shorts<__nv_bfloat16, int64_t>();
}
