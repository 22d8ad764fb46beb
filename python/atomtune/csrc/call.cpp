#include "call.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace atomtune_torch {
namespace {

std::atomic<int64_t> enqueued{0};

bool capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  C10_CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

// error_word is the current device's word for indices out of range. It lives as long as the
// process. Memory cannot be had while a graph is captured: then it is null until a call
// outside has made it.
uint32_t* error_word(cudaStream_t stream) {
  static std::mutex mutex;
  static std::vector<uint32_t*> words(c10::cuda::device_count(), nullptr);
  const std::lock_guard<std::mutex> lock(mutex);
  uint32_t*& word = words.at(c10::cuda::current_device());
  if (word == nullptr && !capturing(stream)) {
    void* memory = nullptr;
    C10_CUDA_CHECK(cudaMalloc(&memory, sizeof(uint32_t)));
    C10_CUDA_CHECK(cudaMemsetAsync(memory, 0, sizeof(uint32_t), stream));
    C10_CUDA_CHECK(cudaStreamSynchronize(stream));
    word = static_cast<uint32_t*>(memory);
  }
  return word;
}

}  // namespace

void run(const Call& call) {
  const Launch launch = find(instance_of(call));
  TORCH_CHECK(launch != nullptr, "atomtune has no such call for ", call.out.scalar_type(),
              " targets and ", call.index.scalar_type(), " indices");
  const c10::cuda::CUDAGuard guard(call.out.device());
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
  Arguments a{};
  a.out = call.out.data_ptr();
  a.bins = static_cast<uint64_t>(call.out.numel() / call.width);
  a.width = static_cast<uint32_t>(call.width);
  a.index = call.index.data_ptr();
  a.values = call.values.defined() ? call.values.data_ptr() : nullptr;
  a.updates = static_cast<uint64_t>(call.updates);
  a.clear = call.clear;
  a.deterministic = call.deterministic;
  a.has_ignore = call.has_ignore;
  a.ignore = call.ignore;
  a.error = error_word(stream);
  a.stream = stream;
  C10_CUDA_CHECK(static_cast<cudaError_t>(launch(a)));
  const auto bytes = static_cast<int64_t>(a.bytes > 0 ? a.bytes : 1);
  const at::Tensor workspace =
      at::empty({bytes}, at::TensorOptions().device(call.out.device()).dtype(at::kByte));
  a.workspace = workspace.data_ptr();
  C10_CUDA_CHECK(static_cast<cudaError_t>(launch(a)));
  ++enqueued;
}

int64_t calls() { return enqueued; }

bool out_of_range(int64_t device) {
  const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device));
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
  uint32_t* const word = error_word(stream);
  if (word == nullptr) return false;
  uint32_t value = 0;
  C10_CUDA_CHECK(
      cudaMemcpyAsync(&value, word, sizeof value, cudaMemcpyDeviceToHost, stream));
  C10_CUDA_CHECK(cudaMemsetAsync(word, 0, sizeof value, stream));
  C10_CUDA_CHECK(cudaStreamSynchronize(stream));
  return value != 0;
}

}  // namespace atomtune_torch
