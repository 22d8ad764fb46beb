#include "driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace atomtune {

namespace library {

namespace {

// The environment variable that names another library than the installed driver.
constexpr char library_variable[] = "ATOMTUNE_LIBCUDA";

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
    why = path + " has no " #name ": a driver of CUDA 12.0 or later is needed";      \
  }
    ATOMTUNE_DRIVER_FUNCTIONS(ATOMTUNE_FIND)
#undef ATOMTUNE_FIND
    if (!why.empty()) return;
    const CUresult status = functions.cuInit(0);
    if (status == CUDA_SUCCESS) return;
    const char* name = nullptr;
    functions.cuGetErrorName(status, &name);
    why = path + ": cuInit says " + (name != nullptr ? name : std::to_string(int(status)));
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
  if (place != nullptr) {
    const auto address = reinterpret_cast<CUdeviceptr>(place);
    if (d.cuPointerGetAttribute(&current, CU_POINTER_ATTRIBUTE_CONTEXT, address) ==
            CUDA_SUCCESS &&
        current != nullptr) {
      return d.cuCtxSetCurrent(current);
    }
  }
  CUdevice first = 0;
  status = d.cuDeviceGet(&first, 0);
  if (status == CUDA_SUCCESS) status = d.cuDevicePrimaryCtxRetain(&current, first);
  return status == CUDA_SUCCESS ? d.cuCtxSetCurrent(current) : status;
}

}  // namespace library

}  // namespace atomtune
