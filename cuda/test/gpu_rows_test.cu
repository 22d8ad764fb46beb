// Tests on a GPU of updates of rows: every form, type and width against a serial sum.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../atomtune_rows_update.cuh"

#include "gpu_test.cuh"
#include "short_floats.h"

namespace {

using atomtune::RowForm;

// word_of is a small whole number as an element.
template <typename T>
atomtune::Element<T> word_of(int x) {
  if constexpr (std::is_same_v<T, float>) {
    return float(x);
  } else {
    const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200}, brains[] = {0, 0x3f80, 0x4000, 0x4040};
    return std::is_same_v<T, __half> ? halves[x] : brains[x];
  }
}

template <typename T>
float number_of(atomtune::Element<T> word) {
  if constexpr (std::is_same_v<T, float>) {
    return word;
  } else {
    return bfloat16_number(word);
  }
}

struct Shape {
  uint32_t width, offset;  // elements that arrays begin past an aligned address
  size_t updates;
};

// check compares every element with its exact sum: those of float are below 2^24, others are
// held below 2^8 by many rows.
template <typename T, typename S, typename I>
void check(const std::vector<uint32_t>& stream, uint32_t bins, Shape shape, RowForm form,
           uint32_t slots) {
  using atomtune::Element;
  const size_t n = shape.updates, width = shape.width;
  std::vector<I> index(n);
  std::vector<Element<S>> values(n * width + shape.offset);
  std::vector<double> want(bins * width);
  bool beyond = false;
  for (size_t u = 0; u < n; ++u) {
    beyond = beyond || u % 97 == 5;
    index[u] = u % 97 == 5 ? I(bins + 1) : u % 89 == 3 ? I(-1) : I(stream[u]);
    for (size_t j = 0; j < width; ++j) {
      const int x = int(1 + (u * 7 + j * 5) % 3);
      values[shape.offset + u * width + j] = word_of<S>(x);
      if (index[u] < I(bins) && index[u] != I(-1)) want[index[u] * width + j] += x;
    }
  }
  const DeviceArray<I> rows(index);
  const DeviceArray<Element<S>> given(values);
  const DeviceArray<Element<T>> out(
      std::vector<Element<T>>(bins * width + shape.offset, word_of<T>(2)));
  const DeviceArray<uint32_t> error(std::vector<uint32_t>{0});
  atomtune::RowOptions options;
  options.form = form, options.slots = slots;
  options.has_ignore = true, options.ignore = -1, options.error = error.data();
  const auto call = [&](void* workspace, size_t& bytes) {
    return atomtune::scatter_add_rows(
        workspace, bytes, reinterpret_cast<T*>(out.data() + shape.offset), bins, rows.data(),
        reinterpret_cast<const S*>(given.data() + shape.offset), n, shape.width, nullptr, options);
  };
  size_t bytes = 0;
  CHECK_CUDA(call(nullptr, bytes));
  const DeviceArray<unsigned char> workspace(bytes);
  CHECK_CUDA(call(workspace.data(), bytes));
  CHECK_CUDA(cudaDeviceSynchronize());
  const auto got = out.to_host();
  bool right = true;
  for (size_t k = 0; k < shape.offset; ++k) right = right && number_of<T>(got[k]) == 2;
  for (size_t k = 0; k < want.size(); ++k) {
    right = right && number_of<T>(got[shape.offset + k]) == want[k] + 2;
  }
  const std::string what = "rows: width " + std::to_string(width) + ", form " +
                           std::to_string(int(form)) + ", " + std::to_string(n) + " updates of " +
                           std::to_string(bins) + ", " + std::to_string(sizeof(Element<S>)) +
                           " to " + std::to_string(sizeof(Element<T>)) + " bytes";
  expect(right, what + ": wrong sums");
  expect((error.to_host()[0] != 0) == beyond, what + ": the error");
}

template <typename T, typename S, typename I>
void check_forms(const std::vector<uint32_t>& stream, uint32_t bins, Shape shape) {
  for (const RowForm form : {RowForm::automatic, RowForm::runs, RowForm::hot, RowForm::sort,
                             RowForm::naive}) {
    check<T, S, I>(stream, bins, shape, form, 0);
  }
  check<T, S, I>(stream, bins, shape, RowForm::hot, 2);
}

// skewed has a third of its updates on the middle row where one is to be hot.
std::vector<uint32_t> skewed(size_t n, uint32_t bins, bool hot) {
  std::mt19937_64 random(18);
  std::vector<uint32_t> index = random_indices(random, n, bins);
  for (uint32_t& i : index) i = hot && random() % 3 == 0 ? bins / 2 : i;
  return index;
}

}  // namespace

void test_rows() {
  const size_t n = 3001;
  for (const uint32_t bins : {1u, 50u, 4000u}) {
    const std::vector<uint32_t> stream = skewed(n, bins, true);
    for (const uint32_t width : {1u, 2u, 3u, 4u, 7u, 8u, 36u, 64u, 128u, 129u, 300u}) {
      check_forms<float, float, int64_t>(stream, bins, {width, 0, n});
      check_forms<float, __nv_bfloat16, int32_t>(stream, bins, {width, 0, n});
    }
    check_forms<float, float, int32_t>(stream, bins, {8, 1, n});
    check_forms<float, float, int32_t>(stream, bins, {8, 2, n});
    check_forms<float, __half, int64_t>(stream, bins, {24, 0, n});
    check_forms<float, float, int64_t>(stream, bins, {16, 0, 0});
    check_forms<float, float, int64_t>(stream, bins, {16, 0, 1});
  }
  const std::vector<uint32_t> stream = skewed(n, 4000, false);
  for (const uint32_t width : {1u, 2u, 3u, 8u, 40u, 256u}) {
    check_forms<__nv_bfloat16, __nv_bfloat16, int64_t>(stream, 4000, {width, 0, n});
    check_forms<__nv_bfloat16, __nv_bfloat16, int64_t>(stream, 4000, {width, 1, n});
  }
}
