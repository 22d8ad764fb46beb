// The driver's functions. Those that the tests do not tell apart return success.
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "standin.h"

uint64_t now_ns = 1000000;
int dead;
static int pending;  // a fault that shows at the next wait
static uint64_t launches;
static char context_of_device;
_Thread_local void* current;

static pthread_mutex_t driver = PTHREAD_MUTEX_INITIALIZER;
int lock(void) { return pthread_mutex_lock(&driver); }
void unlock(const int* locked) {
  if (*locked == 0) pthread_mutex_unlock(&driver);
}

int fault(const char* name, const char** detail) {
  const char* chosen = getenv("STANDIN_FAULT");
  const size_t n = strlen(name);
  if (chosen == NULL || strncmp(chosen, name, n) != 0) return 0;
  if (chosen[n] != 0 && chosen[n] != ':') return 0;
  if (detail != NULL) *detail = chosen[n] == ':' ? chosen + n + 1 : "";
  return 1;
}

int fault_at(const char* name, uint64_t count) {
  const char* detail;
  return fault(name, &detail) && strtoull(detail, NULL, 10) == count;
}

void note(const char* format, ...) {
  const char* path = getenv("STANDIN_LOG");
  FILE* file = path == NULL ? NULL : fopen(path, "a");
  if (file == NULL) return;
  va_list args;
  va_start(args, format);
  vfprintf(file, format, args);
  va_end(args);
  fclose(file);
}

int taken_away(const char* function) {
  static char armed[64];
  static uint64_t calls;
  const char* detail;
  char* code;
  const int once = fault("once", &detail);
  if (!once && !fault("lost", &detail)) {
    armed[0] = 0;
    return SUCCESS;
  }
  if (strcmp(armed, detail) != 0) calls = 0;
  snprintf(armed, sizeof armed, "%s", detail);
  const uint64_t at = strtoull(detail, &code, 10);
  if (++calls < at || (once && calls > at)) return SUCCESS;
  note("failed %s\n", function);
  return atoi(code + 1);
}

EXPORT int cuInit(unsigned flags) {
  if (flags != 0) return INVALID_VALUE;
  if (fault("no_device", NULL)) return NO_DEVICE;
  return fault("stub", NULL) ? STUB_LIBRARY : SUCCESS;
}

EXPORT int cuDriverGetVersion(int* version) {
  *version = fault("old_ptx", NULL) ? 9010 : 13000;
  return SUCCESS;
}

EXPORT int cuGetErrorName(int code, const char** name) {
  switch (code) {
    case OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return SUCCESS;
    case NO_DEVICE: *name = "CUDA_ERROR_NO_DEVICE"; return SUCCESS;
    case INVALID_PTX: *name = "CUDA_ERROR_INVALID_PTX"; return SUCCESS;
    case UNSUPPORTED_PTX_VERSION: *name = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"; return SUCCESS;
    case ILLEGAL_ADDRESS: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return SUCCESS;
    case LAUNCH_OUT_OF_RESOURCES: *name = "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"; return SUCCESS;
    case LAUNCH_TIMEOUT: *name = "CUDA_ERROR_LAUNCH_TIMEOUT"; return SUCCESS;
  }
  return INVALID_VALUE;
}

EXPORT int cuGetErrorString(int code, const char** text) {
  if (code != ILLEGAL_ADDRESS) return INVALID_VALUE;
  *text = "an illegal memory access was encountered";
  return SUCCESS;
}

EXPORT int cuDeviceGetCount(int* count) {
  FALLIBLE;
  *count = fault("no_devices", NULL) ? 0 : 1;
  return SUCCESS;
}

EXPORT int cuDeviceGet(int* device, int index) {
  FALLIBLE;
  *device = index;
  return index == 0 && !fault("no_devices", NULL) ? SUCCESS : INVALID_DEVICE;
}

EXPORT int cuDeviceGetName(char* name, int bytes, int device) {
  FALLIBLE;
  snprintf(name, (size_t)bytes, "Stand-in GPU");
  return device == 0 ? SUCCESS : INVALID_DEVICE;
}

EXPORT int cuDeviceGetAttribute(int* value, int attribute, int device) {
  FALLIBLE;
  static const struct { int attribute, value; } all[] = {
      {1, 1024}, {10, LANES}, {13, 1500000}, {16, SMS}, {36, 2000000}, {37, 512}, {38, 4 << 20},
      {39, 2048}, {75, 9}, {76, 0}, {81, 233472}, {82, 65536}, {97, 232448}, {106, 32}, {111, 1024},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    if (all[i].attribute != attribute) continue;
    *value = all[i].value;
    return device == 0 ? SUCCESS : INVALID_DEVICE;
  }
  return INVALID_VALUE;
}

EXPORT int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  FALLIBLE;
  *bytes = total_bytes;
  return device == 0 ? SUCCESS : INVALID_DEVICE;
}

EXPORT int cuDeviceGetPCIBusId(char* name, int bytes, int device) {
  FALLIBLE;
  snprintf(name, (size_t)bytes, "0000:01:00.0");
  return device == 0 ? SUCCESS : INVALID_DEVICE;
}

#ifndef WITHOUT_UUID
// STANDIN_UUID, a digit, is the first half of the first byte.
EXPORT int cuDeviceGetUuid(unsigned char* id, int device) {
  FALLIBLE;
  const char* first = getenv("STANDIN_UUID");
  for (int i = 0; i < 16; ++i) id[i] = (unsigned char)(17 * i);
  if (first != NULL) id[0] = (unsigned char)(atoi(first) << 4);
  return device == 0 ? SUCCESS : INVALID_DEVICE;
}
#endif

EXPORT int cuDevicePrimaryCtxRetain(void** context, int device) {
  FALLIBLE;
  *context = &context_of_device;
  return device == 0 ? SUCCESS : INVALID_DEVICE;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  FALLIBLE;
  return device == 0 ? SUCCESS : INVALID_DEVICE;
}

EXPORT int cuCtxSetCurrent(void* context) {
  FALLIBLE;
  if (context != &context_of_device) return INVALID_HANDLE;
  current = context;
  return SUCCESS;
}

EXPORT int cuCtxGetCurrent(void** context) {
  FALLIBLE;
  *context = current;
  return SUCCESS;
}

EXPORT int cuCtxGetDevice(int* device) {
  FALLIBLE;
  *device = 0;
  return current != NULL ? SUCCESS : INVALID_CONTEXT;
}

EXPORT int cuPointerGetAttribute(void* value, int attribute, uint64_t address) {
  FALLIBLE;
  if (attribute != 1 || !held(address, 1)) return INVALID_VALUE;
  *(void**)value = &context_of_device;
  return SUCCESS;
}

EXPORT int cuThreadExchangeStreamCaptureMode(int* mode) {
  FALLIBLE;
  static _Thread_local int now;
  const int before = now;
  now = *mode;
  *mode = before;
  return SUCCESS;
}

int settle(void) {
  if (dead == SUCCESS) dead = pending;
  return dead;
}

EXPORT int cuCtxSynchronize(void) {
  FALLIBLE;
  return settle();
}

EXPORT int cuStreamSynchronize(void* stream) {
  FALLIBLE;
  (void)stream;
  return settle();
}

static void note_launch(const Grid* g, const Kernel* k) {
  char text[512];
  size_t n = 0;
  text[0] = 0;
  for (int i = 0; i < k->parameters; ++i) {
    n += (size_t)snprintf(text + n, sizeof text - n, " %0*llx", 2 * k->bytes[i], (unsigned long long)g->v[i]);
  }
  note("launch %s %llu %llu %llu%s\n", g->name, (unsigned long long)g->blocks,
       (unsigned long long)g->threads, (unsigned long long)g->shared, text);
}

EXPORT int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                          unsigned bz, unsigned shared, void* stream, void** parameters, void** extra) {
  FALLIBLE;
  const Kernel* k = function;
  if (dead != SUCCESS) return dead;
  if (gx == 0 || gy * gz * by * bz != 1 || bx == 0 || extra != NULL) return INVALID_VALUE;
  if (current == NULL) return INVALID_CONTEXT;
  if (bx > 1024 || (shared > 49152 && shared > k->allowed)) return INVALID_VALUE;
  ++launches;
  if (fault_at("resources", launches)) return LAUNCH_OUT_OF_RESOURCES;
  if (fault_at("address", launches)) pending = ILLEGAL_ADDRESS;
  if (fault_at("timeout", launches)) pending = LAUNCH_TIMEOUT;
  if (pending != SUCCESS) return SUCCESS;
  Grid g = {.name = k->name, .blocks = gx, .threads = bx, .shared = shared, .arguments = k->parameters};
  if (k->machine_code) {
    note("launch %s %u %u %u %p\n", k->name, gx, bx, shared, stream);
    now_ns += 2000;
    return SUCCESS;
  }
  for (int i = 0; i < k->parameters; ++i) memcpy(&g.v[i], parameters[i], (size_t)k->bytes[i]);
  note_launch(&g, k);
  const char* slow = getenv("STANDIN_SLOW_US");
  if (slow != NULL) usleep((useconds_t)atoi(slow));
  const double ns = perform(&g);
  if (ns < 0) return NOT_FOUND;
  now_ns += 2000 + (uint64_t)ns;
  return SUCCESS;
}

EXPORT int cuEventCreate(void** event, unsigned flags) {
  FALLIBLE;
  *event = calloc(1, sizeof now_ns);
  return flags == 0 ? SUCCESS : INVALID_VALUE;
}

EXPORT int cuEventRecord(void* event, void* stream) {
  FALLIBLE;
  *(uint64_t*)event = now_ns;
  (void)stream;
  return dead;
}

EXPORT int cuEventDestroy_v2(void* event) {
  free(event);  // also where it fails: no caller can do more
  FALLIBLE;
  return SUCCESS;
}

EXPORT int cuEventSynchronize(void* event) {
  FALLIBLE;
  return event == NULL ? INVALID_HANDLE : settle();
}

EXPORT int cuEventElapsedTime(float* ms, void* start, void* stop) {
  FALLIBLE;
  *ms = (float)((double)(*(uint64_t*)stop - *(uint64_t*)start) / 1e6);
  return SUCCESS;
}
