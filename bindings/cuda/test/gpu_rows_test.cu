// Tests on a GPU of sums of rows of f32, with values of 16 bits too, and the same bits on every run.
#include "../atomtune_rows_sort.cuh"
#include "gpu_rows.cuh"

template cudaError_t atomtune::rows::sort_updates(void*, size_t&, atomtune::RowIndex*,
                                                  const uint32_t**, size_t, uint32_t, unsigned,
                                                  cudaStream_t);

namespace {

using namespace rowtest;

// check_same_bits: sums of reals in fixed point are the same in every form.
template <typename N>
void check_same_bits() {
  const size_t n = 2001;
  const uint32_t width = 12, bins = 40;
  std::mt19937_64 random(3);
  Rows<Adding, N, N, int32_t> rows(skewed(n, bins, true), bins, {width, 0, n});
  rows.replace_values(wild_values<N>(random, n * width));
  std::vector<N> first;
  for (const Made& how : all_made<Adding, N>()) {
    if (!how.deterministic) continue;
    const std::vector<N> got = rows.made(how);
    if (first.empty()) first = got;
    expect(got == first, "rows in fixed point, form " + std::to_string(int(how.form)) +
                             ": other bits");
  }
}

// check_refused: what no call does.
void check_refused() {
  size_t bytes = 0;
  const int32_t* const index = nullptr;
  __half* const halves = nullptr;
  float* const floats = nullptr;
  atomtune::RowOptions clears;
  clears.clear = true;
  expect(atomtune::scatter_add_rows(nullptr, bytes, halves, 5, index, halves, 0, 8, nullptr,
                                    atomtune::deterministic(clears)) ==
             cudaErrorNotSupported,
         "sums of halves are in no fixed point");
  expect(atomtune::scatter_min_rows(nullptr, bytes, floats, 5, index, floats, 0, 8, nullptr, clears) ==
             cudaErrorInvalidValue,
         "the least of rows does not clear");
}

}  // namespace

void test_rows() {
  const size_t n = 3001;
  for (const uint32_t bins : {1u, 50u, 4000u}) {
    const std::vector<uint32_t> stream = skewed(n, bins, true);
    for (const uint32_t width : {1u, 2u, 3u, 4u, 7u, 8u, 36u, 64u, 128u, 129u, 300u}) {
      check<Adding, float, float, int64_t>(stream, bins, {width, 0, n});
      check<Adding, float, __nv_bfloat16, int64_t>(stream, bins, {width, 0, n});
    }
    check<Adding, float, float, int64_t>(stream, bins, {8, 1, n});
    check<Adding, float, float, int64_t>(stream, bins, {8, 2, n});
    check<Adding, float, __half, int64_t>(stream, bins, {24, 0, n});
    check<Adding, float, float, int64_t>(stream, bins, {16, 0, 0});
    check<Adding, float, float, int64_t>(stream, bins, {16, 0, 1});
  }
  check_same_bits<float>();
  check_refused();
}
