// Tests on a GPU of values of 16 bits that are added as floats: each of the 65,536 words of
// both formats, beside the toolkit's own declarations of the types.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../atomtune_widened.cuh"

#include "float_updates.h"
#include "gpu_test.cuh"
#include "short_floats.h"

namespace {

template <typename Values>
__global__ void widen_all(float* numbers, Values values, size_t n) {
  const size_t k = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (k < n) numbers[k] = values[k];
}

// check_words compares bits; of a NaN that it is one.
template <typename V, typename Number>
void check_words(const char* name, Number number) {
  std::vector<uint16_t> words(65536);
  for (size_t k = 0; k < words.size(); ++k) words[k] = static_cast<uint16_t>(k);
  const DeviceArray<uint16_t> device(words);
  const DeviceArray<float> numbers(words.size());
  const atomtune::Widened<V> values{reinterpret_cast<const V*>(device.data())};
  widen_all<<<256, 256>>>(numbers.data(), values, words.size());
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaDeviceSynchronize());
  const std::vector<float> got = numbers.to_host();
  for (size_t k = 0; k < words.size(); ++k) {
    expect(bits_of(got[k]) == bits_of(number(words[k])),
           std::string("Widened ") + name + " " + std::to_string(k));
  }
}

}  // namespace

void test_widened() {
  check_words<__half>("half", half_number);
  check_words<__nv_bfloat16>("bfloat16", bfloat16_number);
}
