// What the compiled headers want of CUDA's runtime, over the driver: the functions that nvcc's
// code calls for kernels (crt/host_runtime.h declares them), and those that the headers call.
// A program may have NVIDIA's runtime beside it, of any version: both use the context that is
// current. It is not used here since it refuses drivers that are older than itself.
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "driver.h"

namespace {

using atomtune::library::Driver;
using atomtune::library::driver;

thread_local cudaError_t last = cudaSuccess;

// told keeps an error for cudaGetLastError. Numbers of the driver's errors are the runtime's.
cudaError_t told(CUresult status) {
  if (status != CUDA_SUCCESS) {
    last = static_cast<cudaError_t>(status);
    atomtune::library::refused = status;
  }
  return static_cast<cudaError_t>(status);
}

// Unordered lets a thread load code while a stream of its is captured.
class Unordered {
 public:
  Unordered() { driver()->cuThreadExchangeStreamCaptureMode(&mode_); }
  ~Unordered() { driver()->cuThreadExchangeStreamCaptureMode(&mode_); }

 private:
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

// Image is the code of one source, for several architectures. It is loaded when it is needed.
struct Image {
  const void* data;
  std::mutex lock;
  CUlibrary library = nullptr;

  CUresult load(CUlibrary* loaded) {
    const std::lock_guard<std::mutex> guard(lock);
    CUresult status = CUDA_SUCCESS;
    if (library == nullptr) {
      const Unordered unordered;
      status = driver()->cuLibraryLoadData(&library, data, nullptr, nullptr, 0, nullptr,
                                           nullptr, 0);
    }
    *loaded = library;
    return status;
  }
};

struct Kernel {
  Image* image;
  const char* name;
  std::atomic<CUkernel> loaded{nullptr};

  CUresult load(CUkernel* kernel) {
    *kernel = loaded.load(std::memory_order_acquire);
    if (*kernel != nullptr) return CUDA_SUCCESS;
    CUlibrary library = nullptr;
    CUresult status = image->load(&library);
    if (status != CUDA_SUCCESS) return status;
    const Unordered unordered;
    status = driver()->cuLibraryGetKernel(kernel, library, name);
    if (status == CUDA_SUCCESS) loaded.store(*kernel, std::memory_order_release);
    return status;
  }
};

// Registered are the images and kernels. They are registered while the library is loaded, by one
// thread, and never change later.
struct Registered {
  std::deque<Image> images;
  std::unordered_map<const void*, Kernel> kernels;
};

Registered& registered() {
  static Registered* const all = new Registered;  // calls may come while the process ends
  return *all;
}

Kernel* kernel_of(const void* function) {
  const auto found = registered().kernels.find(function);
  return found != registered().kernels.end() ? &found->second : nullptr;
}

// with_kernel calls body with a loaded kernel.
template <typename Body>
cudaError_t with_kernel(Kernel* kernel, Body body) {
  if (kernel == nullptr) return last = cudaErrorInvalidDeviceFunction;
  CUkernel loaded = nullptr;
  const CUresult status = kernel->load(&loaded);
  return told(status == CUDA_SUCCESS ? body(loaded) : status);
}

// Configuration is that of a launch, between <<<>>> and the call of the stub.
struct Configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};
thread_local Configuration configuration;

CUdeviceptr address(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

CUresult current_device(CUdevice* device) {
  const CUresult status = atomtune::library::in_context(nullptr);
  return status == CUDA_SUCCESS ? driver()->cuCtxGetDevice(device) : status;
}

}  // namespace

extern "C" {

// __fatBinC_Wrapper_t of fatbinary_section.h, of which data is what the driver takes.
struct FatBinary {
  int magic, version;
  const void* data;
  void* others;
};

void** __cudaRegisterFatBinary(void* binary) {
  Image& image = registered().images.emplace_back();
  image.data = static_cast<const FatBinary*>(binary)->data;
  return reinterpret_cast<void**>(&image);
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void** image, const char* function, char*, const char* name, int,
                            uint3*, uint3*, dim3*, dim3*, int*) {
  Kernel& kernel = registered().kernels[function];
  kernel.image = reinterpret_cast<Image*>(image);
  kernel.name = name;
}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream_st* stream) {
  configuration = {grid, block, shared, stream};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = reinterpret_cast<cudaKernel_t>(kernel_of(function));
  return *kernel != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared, cudaStream_t stream) {
  return with_kernel(reinterpret_cast<Kernel*>(kernel), [&](CUkernel loaded) {
    return driver()->cuLaunchKernel(reinterpret_cast<CUfunction>(loaded), grid.x, grid.y, grid.z,
                                    block.x, block.y, block.z, unsigned(shared), stream,
                                    arguments, nullptr);
  });
}

// Code of nvcc before CUDA 13 calls it.
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream) {
  return __cudaLaunchKernel(reinterpret_cast<cudaKernel_t>(kernel_of(function)), grid, block,
                            arguments, shared, stream);
}

cudaError_t cudaGetLastError() {
  const cudaError_t status = last;
  last = cudaSuccess;
  return status;
}
cudaError_t cudaPeekAtLastError() { return last; }

cudaError_t cudaGetDevice(int* device) { return told(current_device(device)); }
cudaError_t cudaGetDeviceCount(int* count) { return told(driver()->cuDeviceGetCount(count)); }
cudaError_t cudaSetDevice(int device) {  // that of the context, wherever it is called
  int current = 0;
  const cudaError_t status = cudaGetDevice(&current);
  return status != cudaSuccess ? status
         : device == current   ? cudaSuccess
                               : last = cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return told(driver()->cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(attribute),
                                             device));
}

// cudaGetDeviceProperties tells what atomtune_device.cuh reads.
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  std::memset(properties, 0, sizeof *properties);
  const CUresult status =
      driver()->cuDeviceGetName(properties->name, sizeof properties->name, device);
  if (status != CUDA_SUCCESS) return told(status);
  int block_bytes = 0;
  const struct {
    cudaDeviceAttr attribute;
    int* value;
  } wanted[] = {{cudaDevAttrMultiProcessorCount, &properties->multiProcessorCount},
                {cudaDevAttrMaxSharedMemoryPerBlockOptin, &block_bytes},
                {cudaDevAttrL2CacheSize, &properties->l2CacheSize},
                {cudaDevAttrComputeCapabilityMajor, &properties->major},
                {cudaDevAttrComputeCapabilityMinor, &properties->minor}};
  for (const auto& each : wanted) {
    const cudaError_t failed = cudaDeviceGetAttribute(each.value, each.attribute, device);
    if (failed != cudaSuccess) return failed;
  }
  properties->sharedMemPerBlockOptin = size_t(block_bytes);
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return with_kernel(kernel_of(function), [&](CUkernel kernel) {
    CUdevice device = 0;
    const CUresult status = current_device(&device);
    if (status != CUDA_SUCCESS) return status;
    return driver()->cuKernelSetAttribute(static_cast<CUfunction_attribute>(attribute), value,
                                          kernel, device);
  });
}

// cudaFuncGetAttributes tells what CUB asks for.
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  std::memset(attributes, 0, sizeof *attributes);
  return with_kernel(kernel_of(function), [&](CUkernel kernel) {
    CUdevice device = 0;
    CUresult status = current_device(&device);
    if (status != CUDA_SUCCESS) return status;
    status = driver()->cuKernelGetAttribute(&attributes->ptxVersion, CU_FUNC_ATTRIBUTE_PTX_VERSION,
                                            kernel, device);
    if (status != CUDA_SUCCESS) return status;
    return driver()->cuKernelGetAttribute(&attributes->binaryVersion,
                                          CU_FUNC_ATTRIBUTE_BINARY_VERSION, kernel, device);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int threads, size_t shared,
                                                                   unsigned flags) {
  return with_kernel(kernel_of(function), [&](CUkernel kernel) {
    return driver()->cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, reinterpret_cast<CUfunction>(kernel), threads, shared, flags);
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                                0);
}

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  return told(driver()->cuMemAlloc_v2(reinterpret_cast<CUdeviceptr*>(memory), bytes));
}
cudaError_t cudaFree(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  const CUresult status = atomtune::library::in_context(memory);  // a plan's, in any thread
  return told(status == CUDA_SUCCESS ? driver()->cuMemFree_v2(address(memory)) : status);
}
cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream) {
  return told(driver()->cuMemAllocAsync(reinterpret_cast<CUdeviceptr*>(memory), bytes, stream));
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  return told(driver()->cuMemFreeAsync(address(memory), stream));
}
cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  return told(driver()->cuMemsetD8Async(address(memory), static_cast<unsigned char>(value), bytes,
                                        stream));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  return told(driver()->cuMemcpyAsync(address(to), address(from), bytes, stream));
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return told(driver()->cuStreamSynchronize(stream));
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return told(driver()->cuEventCreate(event, CU_EVENT_DEFAULT));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return told(driver()->cuEventRecord(event, stream));
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return told(driver()->cuEventSynchronize(event));
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t stop) {
  return told(driver()->cuEventElapsedTime(ms, start, stop));
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return told(driver()->cuEventDestroy_v2(event));
}

}  // extern "C"
