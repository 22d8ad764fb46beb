// Device resources that free themselves, and errors of CUDA calls as exceptions.
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

// check_cuda throws when a call failed, with the call and CUDA's own words.
inline void check_cuda(cudaError_t status, const char* call, const char* file,
                       int line) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " +
                           call + ": " + cudaGetErrorString(status));
}

#define CHECK_CUDA(call) check_cuda((call), #call, __FILE__, __LINE__)

// CHECK_LAUNCH follows each kernel launch.
#define CHECK_LAUNCH() \
  check_cuda(cudaGetLastError(), "kernel launch", __FILE__, __LINE__)

// DeviceArray owns count elements of device memory, which may be none.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) {
    if (count == 0) return;
    CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)));
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
    return 1e3 * ms;
  }

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

inline int sm_count() { return device_attribute(cudaDevAttrMultiProcessorCount); }

// max_shared_bytes is the most shared memory that one block can ask for.
inline size_t max_shared_bytes() {
  return device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

inline std::string gpu_name() {
  int device = 0;
  cudaDeviceProp properties;
  CHECK_CUDA(cudaGetDevice(&device));
  CHECK_CUDA(cudaGetDeviceProperties(&properties, device));
  return properties.name;
}

// sm_clock_mhz asks the management library for the SM clock at this moment; 0
// where that library is absent.
inline int sm_clock_mhz() {
  void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (!library) return 0;
  auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
  auto get = reinterpret_cast<int (*)(unsigned, void**)>(
      dlsym(library, "nvmlDeviceGetHandleByIndex_v2"));
  auto clock = reinterpret_cast<int (*)(void*, int, unsigned*)>(
      dlsym(library, "nvmlDeviceGetClockInfo"));
  constexpr int sm_clock = 1;  // NVML_CLOCK_SM
  void* device = nullptr;
  unsigned mhz = 0;
  if (!init || !get || !clock || init() != 0 || get(0, &device) != 0) return 0;
  return clock(device, sm_clock, &mhz) == 0 ? int(mhz) : 0;
}

// driver_version asks the management library for the driver's version; where that
// library is absent, it is the CUDA version that the driver supports.
inline std::string driver_version() {
  if (void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
    auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
    auto version = reinterpret_cast<int (*)(char*, unsigned)>(
        dlsym(library, "nvmlSystemGetDriverVersion"));
    char text[96] = "";
    if (init && version && init() == 0 && version(text, sizeof text) == 0) return text;
  }
  int cuda = 0;
  CHECK_CUDA(cudaDriverGetVersion(&cuda));
  return "cuda " + std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
}
