#include "driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace atomtune {

namespace library {

namespace {

// The environment variable that names another library than the installed driver.
constexpr char library_variable[] = "ATOMTUNE_LIBCUDA";

// Older drivers cannot read code that is compressed as nvcc's --compress-mode does.
constexpr int oldest = 12040;
constexpr char needed[] = ": a driver of CUDA 12.4 or later is needed";

struct Found {
  Driver functions{};
  std::string why;

  Found() {
    const char* const named = std::getenv(library_variable);
    const std::string path = named != nullptr && *named != 0 ? named : "libcuda.so.1";
    if (path.find('/') != std::string::npos && path[0] != '/') {
      why = path + " depends on the working folder: name an absolute path";
      return;
    }
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* const said = dlerror();
      why = path + " cannot be loaded (" + (said != nullptr ? said : "no reason is given") +
            "): install the driver of the GPU; a CUDA toolkit is not needed";
      return;
    }
#define ATOMTUNE_FIND(name)                                                          \
  functions.name = reinterpret_cast<decltype(&::name)>(dlsym(handle, #name));        \
  if (functions.name == nullptr && why.empty()) {                                    \
    why = path + " has no " #name + needed;                                          \
  }
    ATOMTUNE_DRIVER_FUNCTIONS(ATOMTUNE_FIND)
#undef ATOMTUNE_FIND
    if (!why.empty()) return;
    const CUresult status = functions.cuInit(0);
    if (status != CUDA_SUCCESS) {
      const char* name = nullptr;
      functions.cuGetErrorName(status, &name);
      why = path + ": cuInit says " + (name != nullptr ? name : std::to_string(int(status)));
      return;
    }
    int version = 0;
    functions.cuDriverGetVersion(&version);
    if (version >= oldest) return;
    why = path + " is of CUDA " + std::to_string(version / 1000) + "." +
          std::to_string(version % 1000 / 10) + needed;
  }
};

const Found& found() {
  static const Found once;
  return once;
}

}  // namespace

thread_local CUresult refused = CUDA_SUCCESS;

const Driver* driver() { return found().why.empty() ? &found().functions : nullptr; }

const char* why_no_driver() { return found().why.c_str(); }

CUresult in_context(const void* place) {
  const Driver& d = *driver();
  CUcontext current = nullptr;
  CUresult status = d.cuCtxGetCurrent(&current);
  if (status != CUDA_SUCCESS || current != nullptr) return status;
  int number = 0;
  if (place != nullptr) {
    const auto address = reinterpret_cast<CUdeviceptr>(place);
    if (d.cuPointerGetAttribute(&current, CU_POINTER_ATTRIBUTE_CONTEXT, address) ==
            CUDA_SUCCESS &&
        current != nullptr) {
      return d.cuCtxSetCurrent(current);
    }
    // Memory of a pool is of a device and of no context.
    if (d.cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address) !=
            CUDA_SUCCESS ||
        number < 0) {
      number = 0;
    }
  }
  CUdevice device = 0;
  status = d.cuDeviceGet(&device, number);
  if (status == CUDA_SUCCESS) status = d.cuDevicePrimaryCtxRetain(&current, device);
  return status == CUDA_SUCCESS ? d.cuCtxSetCurrent(current) : status;
}

}  // namespace library

}  // namespace atomtune
