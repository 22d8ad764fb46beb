// Device resources that free themselves, and errors of CUDA calls as exceptions.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace companion {

// check_cuda throws when a call failed, with the call and CUDA's own words.
inline void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

#define CHECK_CUDA(call) companion::check_cuda((call), #call)

// DeviceArray owns count elements of device memory, which may be none.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) {
    if (count == 0) return;
    const cudaError_t status = cudaMalloc(reinterpret_cast<void**>(&data_), bytes());
    check_cuda(status, (std::to_string(bytes()) + " bytes of device memory").c_str());
  }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(host.size()) {
    if (host.empty()) return;
    CHECK_CUDA(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }
  size_t size() const { return count_; }
  size_t bytes() const { return count_ * sizeof(T); }

  std::vector<T> to_host() const {
    std::vector<T> host(count_);
    CHECK_CUDA(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

// EventPair times what is enqueued between start and stop on the default stream.
class EventPair {
 public:
  EventPair() {
    CHECK_CUDA(cudaEventCreate(&start_));
    CHECK_CUDA(cudaEventCreate(&stop_));
  }
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;
  ~EventPair() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }

  void start() { CHECK_CUDA(cudaEventRecord(start_)); }

  // stop waits for the device and returns the time since start in microseconds.
  double stop() {
    CHECK_CUDA(cudaEventRecord(stop_));
    CHECK_CUDA(cudaEventSynchronize(stop_));
    float ms = 0;
    CHECK_CUDA(cudaEventElapsedTime(&ms, start_, stop_));
    return 1e3 * double(ms);
  }

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

inline std::string gpu_name() {
  int device = 0;
  cudaDeviceProp properties;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaGetDeviceProperties(&properties, device));
  return properties.name;
}

}  // namespace companion
