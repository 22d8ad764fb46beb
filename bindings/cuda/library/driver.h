// NVIDIA's driver, which is found while the program runs.
#pragma once

#include <cuda.h>

namespace atomtune {

namespace library {

// The functions that are called, by the names under which libcuda exports them.
#define ATOMTUNE_DRIVER_FUNCTIONS(do)                                                       \
  do(cuInit) do(cuDriverGetVersion) do(cuGetErrorName) do(cuGetErrorString)                 \
  do(cuCtxGetCurrent) do(cuCtxSetCurrent) do(cuCtxGetDevice)                                \
  do(cuDeviceGet) do(cuDeviceGetCount) do(cuDeviceGetName) do(cuDeviceGetAttribute)         \
  do(cuDevicePrimaryCtxRetain) do(cuPointerGetAttribute)                                    \
  do(cuLibraryLoadData) do(cuLibraryGetKernel) do(cuKernelSetAttribute)                     \
  do(cuKernelGetAttribute) do(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)         \
  do(cuLaunchKernel) do(cuThreadExchangeStreamCaptureMode)                                  \
  do(cuMemAlloc_v2) do(cuMemFree_v2) do(cuMemAllocAsync) do(cuMemFreeAsync)                 \
  do(cuMemsetD8Async) do(cuMemcpyAsync) do(cuStreamSynchronize)                             \
  do(cuEventCreate) do(cuEventRecord) do(cuEventSynchronize) do(cuEventDestroy_v2)          \
  do(cuEventElapsedTime)

// Driver has the functions.
struct Driver {
#define ATOMTUNE_DECLARE(name) decltype(&::name) name;
  ATOMTUNE_DRIVER_FUNCTIONS(ATOMTUNE_DECLARE)
#undef ATOMTUNE_DECLARE
};

// driver is null if there is no driver; why_no_driver gives the reason.
const Driver* driver();
const char* why_no_driver();

// refused is what the driver answered in this thread last besides success: it tells its errors
// from those that the headers find, which have the same numbers. It is reset for each call.
extern thread_local CUresult refused;

// in_context has a context current in the calling thread: the one that is, else that of the
// memory at place or of its device, else the first device's own.
CUresult in_context(const void* place);

}  // namespace library

}  // namespace atomtune
